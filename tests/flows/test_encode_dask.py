import pyarrow.parquet as pq
import pytest

from flows.encode import encode
from nadp import read_embeddings
from tasks.store.home import home
from tests.flows.processes import Cluster


def worked(dask_worker):
    return dask_worker.state.executed_count


@pytest.mark.servers
@pytest.mark.usefixtures("prefect_server")
def test_two_dask_workers_share_the_shards_and_make_each_once(embedding, tmp_path):
    words = read_embeddings(embedding).words[:6].tolist()
    (tmp_path / "texts.txt").write_text("".join(f"{word} {word}\n" for word in words * 10))
    out = tmp_path / "out"
    shared = {"NADP_HOME": str(home())}
    with Cluster(tmp_path, shared, shared) as cluster:
        more = {"shard_texts": 3, "runner": "dask", "scheduler": cluster.address, "return_state": True}
        state = encode(str(tmp_path / "texts.txt"), str(embedding), str(out), epsilon=5.0, **more)
        assert "20 parts: 20 made now, 0 before, 0 failed" in state.message
        counts = cluster.client.run(worked).values()
        assert sum(counts) == 20
        assert all(counts)
        parts = [path.read_bytes() for path in sorted(out.glob("part-*"))]
        again = encode(str(tmp_path / "texts.txt"), str(embedding), str(out), epsilon=5.0, **more)
    assert "20 parts: 0 made now, 20 before, 0 failed" in again.message
    assert [path.read_bytes() for path in sorted(out.glob("part-*"))] == parts
    found = [row for path in sorted(out.glob("part-*")) for row in pq.read_table(path).to_pylist()]
    assert [row["id"] for row in found] == list(range(60))
    assert len({tuple(vector) for row in found for vector in row["vectors"]}) == 120
