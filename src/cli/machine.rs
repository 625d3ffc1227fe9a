//! What is known about the machine.

/// The memory of the machine in MiB, at least 16. Where the system does not tell, 1 TiB.
pub(super) fn memory() -> usize {
    #[cfg(target_os = "linux")]
    {
        let info = rustix::system::sysinfo();
        let unit = u64::from(info.mem_unit.max(1));
        let bytes = (info.totalram as u64).saturating_mul(unit);
        (bytes >> 20).max(16) as usize
    }
    #[cfg(not(target_os = "linux"))]
    {
        1 << 20
    }
}
