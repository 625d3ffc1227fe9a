"""Runs jobs on Dask workers until each is finished."""

import uuid

from workers import TRIES, by_value, drop_programs, failure_of


class Stop(Exception):
    """The run cannot continue now; what is finished is kept."""


class Workers:
    """The workers of a run."""

    def __init__(self, client, is_shared, say):
        self.client, self.is_shared, self.say = client, is_shared, say
        self.token = uuid.uuid4().hex

    def threads(self):
        return max(1, sum(self.client.nthreads().values()))

    def run(self, jobs, function, arguments, keep):
        """Calls `function(job, *arguments)` on workers for each job, and `keep(job, result)` here as each finishes.
        A job that fails is tried again."""
        from distributed import as_completed

        waiting, running, tries = list(reversed(jobs)), {}, {}
        arrivals = as_completed()
        function = by_value(function)

        def submit(job):
            key = f"tanada-{self.token}-{job['part']}-{job['round']}-{job['task']}-{tries.get(job['task'], 0)}"
            job["token"] = self.token
            future = self.client.submit(function, job, *arguments, key=key, pure=False, retries=0)
            running[future.key] = (job, future)
            arrivals.add(future)

        def fill():
            # Only twice as many as threads, so that jobs finish roughly in order.
            while waiting and len(running) < 2 * self.threads():
                submit(waiting.pop())

        fill()
        try:
            for future in arrivals:
                job, _ = running.pop(future.key)
                if future.status == "finished":
                    keep(job, future.result())
                elif future.status == "cancelled":
                    raise Stop("the connection to the scheduler is lost")
                else:
                    failure = failure_of(future)
                    tries[job["task"]] = tries.get(job["task"], 0) + 1
                    if tries[job["task"]] >= TRIES:
                        raise Stop(f"{job['part']} {job['task']} failed {TRIES} times: {failure}")
                    self.say(f"{job['part']} {job['task']} failed and is played again: {failure}")
                    submit(job)
                fill()
        finally:
            if self.is_shared:
                # A cluster outlives this run; local workers end with it.
                self.client.cancel([future for _, future in running.values()], force=True)
                drop_programs(self.client, self.token)
