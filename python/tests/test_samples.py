"""`tanada.samples`: files that the program writes."""

import subprocess

import numpy
import pytest
import tanada
from tanada.samples import read_samples


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    games, samples = folder / "games.gz", folder / "samples"
    program = tanada.find_program()
    play = ["selfplay", "--size", "7", "--games", "4", "--iterations", "10", "--seed", "1", "--out", games]
    subprocess.run([program, *play], check=True, capture_output=True)
    subprocess.run([program, "samples", games, "--out", samples], check=True, capture_output=True)
    return samples


def test_records_and_planes(file):
    samples = read_samples(file)
    assert samples.size == 7 and len(samples) > 50
    records = samples.records
    assert records["planes"].shape == (len(samples), 49)
    assert set(numpy.unique(records["result"])) <= {0, 1, 2}
    assert set(numpy.unique(records["game"])) == {0, 1, 2, 3}
    planes = samples.plane_array(records[:5])
    assert planes.shape == (5, samples.planes, 7, 7)
    assert set(numpy.unique(planes)) <= {0, 1}
    assert (samples.plane_array(records[[1, 3]]) == planes[[1, 3]]).all()
    batch = next(samples.batches(8, seed=1))
    assert samples.plane_array(batch).shape == (8, samples.planes, 7, 7)
    with pytest.raises(ValueError, match="invalid size `0` of a batch"):
        next(samples.batches(0))


def test_another_game(tmp_path):
    games, path = tmp_path / "games.gz", tmp_path / "samples"
    program = tanada.find_program()
    play = ["selfplay", "--game", "taratibu", "--games", "1", "--iterations", "10", "--seed", "1", "--out", games]
    subprocess.run([program, *play], check=True, capture_output=True)
    subprocess.run([program, "samples", games, "--out", path], check=True, capture_output=True)
    samples = read_samples(path)
    assert (samples.size, samples.planes) == (7, 21) and len(samples) > 5
    assert samples.records["visits"].shape == (len(samples), 490)
    assert not samples.records["reply"].any()


def test_more_than_two_players(tmp_path):
    games, path = tmp_path / "games.gz", tmp_path / "samples"
    program = tanada.find_program()
    for players in (3, 4):
        play = ["selfplay", "--size", "9", "--players", str(players), "--games", "2", "--iterations", "2"]
        subprocess.run([program, *play, "--out", games, "--force"], check=True, capture_output=True)
        subprocess.run([program, "samples", games, "--out", path, "--force"], check=True, capture_output=True)
        records = read_samples(path).records
        assert records["others"].shape == (len(records), players - 1, 2)
        # The chances of all add up to 1, but for rounding.
        sums = records["value"].astype(int) + records["others"][:, :, 0].sum(1)
        assert (abs(sums - 65535) <= 20).all()
        assert ((records["result"] == 1) == (records["winner"] == 0)).all()
        assert records["winner"].max() < players


def test_batches_have_each_record_once(file):
    samples = read_samples(file)
    batches = list(samples.batches(16, seed=1))
    assert sum(len(batch) for batch in batches) == len(samples)
    assert all(len(batch) == 16 for batch in batches[:-1])
    plies = numpy.sort(numpy.concatenate([batch["plies"] for batch in batches]))
    assert (plies == numpy.sort(samples.records["plies"])).all()
    again = [batch["value"].tolist() for batch in samples.batches(16, seed=1)]
    assert again == [batch["value"].tolist() for batch in batches]


def test_what_is_no_file_of_samples(file, tmp_path):
    whole = file.read_bytes()
    damaged = tmp_path / "damaged"
    for content, sentence in (
        (b"", "is not a file of `tanada samples`"),
        (b"hello\n" + whole, "is not a file of `tanada samples`"),
        (whole[:-1], "ends in the middle of a sample"),
        (whole.replace(b"globals 56", b"globals 57", 1), "has samples of another form"),
        (whole.replace(b"seats 2 bytes 532", b"seats 2 bytes", 1), "is not a file of `tanada samples`"),
        (whole.replace(b"moves 49 ", b"", 1), "is not a file of `tanada samples`"),
        (whole.replace(b"moves 49", b"moves 50", 1), "has samples of another form"),
        (whole.replace(b"seats 2", b"seats 4", 1), "has samples of another form"),
        (whole.replace(b"points 49", b"points 4900000", 1), "is not a file of `tanada samples`"),
        (whole.replace(b"points 49", b"points 48", 1), "has samples of another form"),
    ):
        damaged.write_bytes(content)
        with pytest.raises(tanada.TanadaError, match=sentence):
            read_samples(damaged)
    with pytest.raises(tanada.TanadaError, match="cannot read"):
        read_samples(tmp_path / "nowhere")
    head = whole.split(b"\n", 1)[0] + b"\n"
    damaged.write_bytes(head)
    assert len(read_samples(damaged)) == 0
