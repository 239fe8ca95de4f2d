"""An encoder as a file: an inverse pair, whole or not at all, and nothing else taken for one."""

import json
import os
import pickle
import signal
import struct
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

from nadp import Embeddings, FormatError, InputError, TextEncoder
from nadp.mechanisms import Guarantee
from nadp.noise import GridNoise, LaplaceNoise, MahalanobisNoise
from nadp.texts import Decoder, Subwords
from nadp.tokens import Tokenizer
from tests.nadp.texts.planting import FAMILIES, far_apart, planted, root_of, rows_back, text_of

ODD = ["a\u2028b", 'say "x"', "it's", "\\n", "日本", "😀", "{}", " ", "\u00e9", "e\u0301", "\x01", "]", ","]


def with_subwords():
    vectors = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    return planted(far_apart(6), 0.5, unknown="subword", subwords=Subwords(vectors, 3, 5))


def kinds(encoders):
    return {
        **encoders,
        "subwords": with_subwords(),
        "refusing": planted(far_apart(3), [0.1, 0.2, 0.3], "laplace", unknown="error", record={"tau": 0.1}),
        "odd words": planted(far_apart(len(ODD)), 1.0, words=ODD),
        "one word": planted([[1.0]], 1.0, words=["x"]),
        "French": replace(encoders["gaussian"], tokenizer=Tokenizer.of("fr")),
    }


KINDS = ["nadp", "gaussian", "laplacian", "mahalanobis", "subwords", "refusing", "odd words", "one word", "French"]


def read(content):
    size = struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(params=KINDS)
def kind(request, encoders):
    return kinds(encoders)[request.param]


def same(one, other):
    assert one.words.tolist() == other.words.tolist()
    assert one.terms() == other.terms()
    assert one.guarantee == other.guarantee
    assert (one.unknown, one.record, one.tokenizer) == (other.unknown, other.record, other.tokenizer)
    assert (one.noise.law, one.noise.grid) == (other.noise.law, other.noise.grid)
    mine, theirs = one.arrays(), other.arrays()
    assert mine.keys() == theirs.keys()
    for name, array in mine.items():
        assert array.dtype == theirs[name].dtype
        assert np.array_equal(array, theirs[name])
    assert (one.subwords is None) == (other.subwords is None)
    if one.subwords is not None:
        lengths = [(encoder.subwords.shortest, encoder.subwords.longest) for encoder in (one, other)]
        assert lengths[0] == lengths[1]


def test_what_is_saved_is_loaded(tmp_path, kind):
    kind.save(tmp_path / "encoder")
    loaded = TextEncoder.load(tmp_path / "encoder")
    same(kind, loaded)
    assert loaded.fingerprint == kind.fingerprint
    assert names(tmp_path) == ["encoder"]


def test_a_loaded_encoder_encodes_and_decodes_as_the_first_did(tmp_path):
    made = with_subwords()
    made.save(tmp_path / "encoder")
    loaded = TextEncoder.load(str(tmp_path / "encoder"))
    text = [text_of(made, [3, 1, 4]) + " unknown"]
    rows = [rows_back(encoder, encoder.encode(text)[0]) for encoder in (made, loaded)]
    assert rows[0] == rows[1]
    assert Decoder(made).words(loaded.encode(text)) == Decoder(loaded).words(made.encode(text))
    scale = loaded.encode([text_of(made, [2] * 4000)]).vectors.astype(np.float64)[:, 1:].std()
    assert scale == pytest.approx(0.5, rel=0.1)


def test_a_file_holds_the_same_each_time_and_after_use(tmp_path, each):
    each.save(tmp_path / "one")
    each.encode(["the SECRET of all"])
    each.save(tmp_path / "deep" / "other")
    one, other = ((tmp_path / path).read_bytes() for path in ("one", "deep/other"))
    assert read(one) == read(other)


def test_a_file_is_replaced(tmp_path, encoders):
    path = tmp_path / "encoder"
    for name in ("nadp", "laplacian"):
        encoders[name].save(path)
        assert TextEncoder.load(path).fingerprint == encoders[name].fingerprint
    assert names(tmp_path) == ["encoder"]


def base():
    noise = GridNoise(MahalanobisNoise(root=root_of(4)), np.array([1.0, 2.0, 3.0]), 2.0**-10)
    guarantee = Guarantee("mahalanobis", "metric DP", 1.0, 0.0)
    vectors = np.arange(12, dtype=np.float32).reshape(3, 4)
    subwords = Subwords(np.ones((5, 4), np.float32), 3, 6)
    return TextEncoder(
        Embeddings(["a", "b", "c"], vectors), noise, guarantee, "subword", subwords, {"x": [1, {"y": 2}]}
    )


def changed():
    """Encoders that differ from one in a single thing each."""
    one = base()
    words, vectors, noise = one.words.tolist(), one.embeddings.vectors, one.noise
    moved, scaled, turned, parts = (
        vectors.copy(),
        noise.scale.copy(),
        noise.law.root.copy(),
        one.subwords.vectors.copy(),
    )
    moved[2, 3] = np.nextafter(moved[2, 3], np.float32(99))
    scaled[1] = np.nextafter(scaled[1], 99)
    turned[0, 0] = np.nextafter(turned[0, 0], 99)
    parts[4, 0] = 2
    yield "law", replace(one, noise=replace(noise, law=LaplaceNoise()))
    yield "grid", replace(one, noise=replace(noise, grid=2.0**-11))
    yield "scale", replace(one, noise=replace(noise, scale=scaled))
    yield "root", replace(one, noise=replace(noise, law=MahalanobisNoise(root=turned)))
    yield "mechanism", replace(one, guarantee=replace(one.guarantee, mechanism="mahalanobis(regularisation=0.5)"))
    yield "vectors", replace(one, embeddings=Embeddings(words, moved))
    yield "a word", replace(one, embeddings=Embeddings(["a", "b", "C"], vectors))
    yield "the order of words", replace(one, embeddings=Embeddings(["b", "a", "c"], vectors))
    yield "the order of rows", replace(one, embeddings=Embeddings(["b", "a", "c"], vectors[[1, 0, 2]]))
    yield "a longer word", replace(one, embeddings=Embeddings(["a b", "b", "c"], vectors))
    for field, value in [("kind", "epsilon-DP"), ("epsilon", 1.1), ("delta", 1e-9), ("mu", 0.1), ("isolated", "drop")]:
        yield field, replace(one, guarantee=replace(one.guarantee, **{field: value}))
    yield "no n-grams", replace(one, subwords=None)
    yield "n-grams", replace(one, subwords=replace(one.subwords, vectors=parts))
    yield "their shortest", replace(one, subwords=replace(one.subwords, shortest=2))
    yield "their longest", replace(one, subwords=replace(one.subwords, longest=5))
    yield "unknown", replace(one, unknown="drop")
    yield "record", replace(one, record={"x": [1, {"y": 3}]})


def test_the_fingerprint_changes_with_anything_and_only_then():
    prints = {name: encoder.fingerprint for name, encoder in changed()}
    assert len({base().fingerprint, *prints.values()}) == 1 + len(prints)
    assert base().fingerprint == base().fingerprint
    assert replace(base(), record={"x": [1, {"y": 2}]}).fingerprint == base().fingerprint


@pytest.mark.parametrize(
    ("one", "other"),
    [(["a\u2028b", "c"], ["a", "b\u2028c"]), (["a", "b\\n"], ["a\\n", "b"]), (['a", "b', "c"], ["a", 'b", "c'])],
)
def test_words_with_separators_inside_are_distinguished_from_other_words(one, other):
    prints = {planted(far_apart(2), 1.0, words=words).fingerprint for words in (one, other)}
    assert len(prints) == 2


def test_one_number_has_one_fingerprint(space):
    prints = {
        TextEncoder.build(space, epsilon=epsilon, delta=delta).fingerprint
        for epsilon in (1, 1.0, np.float64(1), np.float32(1), np.int64(1))
        for delta in (1e-6, np.float64(1e-6))
    }
    assert len(prints) == 1


def test_another_process_finds_the_same_fingerprint(tmp_path, encoders):
    program = (
        "import sys; from nadp import *; print(TextEncoder.load(sys.argv[1]).fingerprint);"
        "space = EmbeddingSpace.build(read_embeddings(SAMPLE).subset(range(400)), tau=0.3);"
        "print(TextEncoder.build(space, epsilon=2.0).fingerprint)"
    )
    encoders["nadp"].save(tmp_path / "encoder")
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "encoder"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "12345"},
    )
    assert done.stdout.split() == [encoders["nadp"].fingerprint] * 2


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "encoder"
    encoder = base()
    encoder.save(path)
    return encoder, path.read_bytes()


def refused(path):
    """None if the file is refused by its path, else what was loaded."""
    try:
        return TextEncoder.load(path)
    except FormatError as error:
        if str(path) not in str(error):
            raise
        return None


def test_every_flipped_bit_is_noticed_or_changes_nothing(tmp_path, small):
    """The case of a letter in a number, 1e-06 or 1E-06, is no change."""
    encoder, content = small
    path, accepted = tmp_path / "encoder", []
    rng = np.random.default_rng(0)
    for place in range(len(content)):
        broken = bytearray(content)
        broken[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(broken)
        loaded = refused(path)
        if loaded is not None:
            same(encoder, loaded)
            accepted.append(place)
    assert len(accepted) < 0.01 * len(content)


def test_a_file_that_was_cut_off_anywhere_is_noticed(tmp_path, small):
    _, content = small
    path = tmp_path / "encoder"
    for length in [*range(0, len(content), 37), len(content) - 1]:
        path.write_bytes(content[:length])
        with pytest.raises(FormatError, match="encoder is not an encoder"):
            TextEncoder.load(path)
    path.write_bytes(content + b"x")
    with pytest.raises(FormatError, match="encoder is not an encoder"):
        TextEncoder.load(path)


def written(header, rest):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + rest


@pytest.mark.parametrize("key", ["words", "terms"])
def test_a_header_without_words_or_terms_is_refused(tmp_path, small, key):
    header, rest = read(small[1])
    del header["__metadata__"][key]
    (tmp_path / "encoder").write_bytes(written(header, rest))
    with pytest.raises(FormatError, match=f"encoder is not an encoder: '{key}'"):
        TextEncoder.load(tmp_path / "encoder")


@pytest.mark.parametrize("key", ["grid", "unknown", "record", "guarantee", "fingerprint", "shortest", "longest"])
def test_terms_without_one_of_them_are_refused(tmp_path, small, key):
    header, rest = read(small[1])
    terms = json.loads(header["__metadata__"]["terms"])
    del terms[key]
    header["__metadata__"]["terms"] = json.dumps(terms)
    (tmp_path / "encoder").write_bytes(written(header, rest))
    with pytest.raises(FormatError, match=f"encoder is not an encoder of this version: '{key}'"):
        TextEncoder.load(tmp_path / "encoder")


@pytest.mark.parametrize("missing", ["vectors", "scale", "root", "subwords"])
def test_a_file_without_one_of_the_arrays_is_refused(tmp_path, small, missing):
    encoder, content = small
    arrays = {name: np.ascontiguousarray(array) for name, array in encoder.arrays().items() if name != missing}
    header, _ = read(content)
    save_file(arrays, tmp_path / "encoder", metadata=header["__metadata__"])
    with pytest.raises(FormatError, match=r"encoder (is not an encoder of this version|was changed since)"):
        TextEncoder.load(tmp_path / "encoder")


def without_noise():
    """Arrays and terms of encoders that would give words away, or noise of no law."""
    yield {"scale": np.array([1.0, 0.0, 3.0])}, {}, "scale above 0"
    yield {"scale": np.array([1.0, -2.0, 3.0])}, {}, "scale above 0"
    yield {"scale": np.array([1.0, np.nan, 3.0])}, {}, "scale above 0"
    yield {"scale": np.array([1.0, 2.0])}, {}, "2 scales of noise do not fit 3 words"
    yield {}, {"guarantee": {"mechanism": "none", "kind": "", "epsilon": 1.0, "delta": 0.0}}, "not 'none'"
    yield {}, {"format": 1}, "format 1"
    yield {}, {"grid": 0.0}, "grid must be above 0"
    yield {}, {"grid": float("nan")}, "grid must be above 0"


def test_an_encoder_without_noise_is_refused_whatever_its_fingerprint_says(tmp_path, small):
    encoder, content = small
    header, _ = read(content)
    for arrays, terms, said in without_noise():
        all_terms = json.loads(header["__metadata__"]["terms"]) | terms
        metadata = header["__metadata__"] | {"terms": json.dumps(all_terms)}
        save_file(encoder.arrays() | arrays, tmp_path / "encoder", metadata=metadata)
        with pytest.raises(FormatError, match=f"encoder is not an encoder of this version: .*{said}"):
            TextEncoder.load(tmp_path / "encoder")


@pytest.mark.parametrize("terms", ["[]", "3", "null", '"x"', "not json", "[" * 100_000])
def test_terms_that_are_none_are_refused(tmp_path, small, terms):
    header, rest = read(small[1])
    header["__metadata__"]["terms"] = terms
    (tmp_path / "encoder").write_bytes(written(header, rest))
    with pytest.raises(FormatError, match="encoder is not an encoder"):
        TextEncoder.load(tmp_path / "encoder")


def foreign():
    tensor = {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}
    yield "another model", written({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, bytes(4))
    yield "numbers that NumPy does not have", written({"w": tensor}, bytes(4))
    yield "smaller ones", written({"w": tensor | {"dtype": "F8_E4M3", "shape": [4]}}, bytes(4))
    yield "nothing", b""
    yield "text", b"the of and\n" * 100
    yield "a header larger than any", struct.pack("<Q", 2**63) + bytes(100)
    yield "NumPy's", b"\x93NUMPY" + bytes(100)


def test_other_files_are_no_encoders(tmp_path):
    for name, content in foreign():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(FormatError, match=f"{name} is not an encoder"):
            TextEncoder.load(path)


class Touch:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


def test_nothing_is_unpickled(tmp_path):
    path, victim = tmp_path / "encoder", tmp_path / "victim"
    payload = pickle.dumps(Touch(str(victim)))
    header = {"words": payload.decode("latin-1"), "terms": payload.decode("latin-1")}
    save_file({"vectors": np.frombuffer(payload, dtype=np.uint8)}, path, metadata=header)
    for content in (path.read_bytes(), payload):
        path.write_bytes(content)
        with pytest.raises(FormatError):
            TextEncoder.load(path)
        assert not victim.exists()
    pickle.loads(payload).close()  # noqa: S301 - the payload would have worked
    assert victim.exists()


def test_a_file_that_is_not_there_is_named(tmp_path):
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(InputError, match=f"no encoder '{path}'"):
            TextEncoder.load(path)


def test_a_disk_that_cannot_be_written_leaves_the_old_file_and_nothing_else(tmp_path, encoders):
    path = tmp_path / "encoder"
    (path / "in the way").mkdir(parents=True)
    with pytest.raises(OSError, match="encoder"):
        encoders["nadp"].save(path)
    assert names(tmp_path) == ["encoder"]


DIES = """
import os, signal, sys
from nadp import TextEncoder
encoder = TextEncoder.load(sys.argv[1])
for last in range(60):
    pid = os.fork()
    if not pid:
        calls = [0]
        def dies(frame, event, function):
            if event == "c_call" and getattr(function, "__name__", "") in sys.argv[3].split(","):
                calls[0] += 1
                if calls[0] > last:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.setprofile(dies)
        encoder.save(sys.argv[2])
        sys.setprofile(None)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    print(status, TextEncoder.load(sys.argv[2]).fingerprint, flush=True)
    if status == 0:
        break
"""
TOUCHING = "mkdir,serialize_file,open,write,fsync,close,replace,rename,unlink,__exit__"


def test_a_process_that_is_killed_while_it_saves_leaves_the_old_file_whole_or_the_new_one(tmp_path, encoders):
    old, new, path = tmp_path / "old", tmp_path / "new", tmp_path / "there" / "encoder"
    encoders["laplacian"].save(path)
    encoders["nadp"].save(new)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", DIES, new, path, TOUCHING], capture_output=True, text=True, check=True
    )
    seen = [line.split() for line in done.stdout.splitlines()]
    prints = {encoders["laplacian"].fingerprint: "old", encoders["nadp"].fingerprint: "new"}
    states = [prints[fingerprint] for _, fingerprint in seen]
    assert [int(status) for status, _ in seen] == [signal.SIGKILL] * (len(seen) - 1) + [0]
    assert states.count("old") >= 3
    assert states == sorted(states, reverse=True)  # old until it is new
    assert not old.exists()
    assert states[-1] == "new"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_saved_encoder_holds_nothing_but_terms_words_and_arrays(tmp_path, family):
    encoder = planted(far_apart(3), 1.0, family)
    encoder.encode(["w1 SECRET w2"])
    encoder.save(tmp_path / "encoder")
    content = (tmp_path / "encoder").read_bytes()
    header, rest = read(content)
    assert header.keys() == {"__metadata__", *encoder.arrays()}
    assert header["__metadata__"].keys() == {"words", "terms"}
    assert len(rest) == sum(array.nbytes for array in encoder.arrays().values())
    assert b"SECRET" not in content
