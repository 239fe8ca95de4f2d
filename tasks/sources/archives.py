"""GloVe's published archives: URLs and checksums."""

import os
from dataclasses import dataclass

HUB = "https://huggingface.co/stanfordnlp/glove/resolve/main/"
STANFORD = "https://nlp.stanford.edu/data/wordvecs/"


@dataclass(frozen=True)
class Archive:
    """A file to download.

    Attributes:
        file: its name under each base URL.
        sha256: required hash; None if no hash is published.
        bases: URLs of its folders, in the order to try.
    """

    file: str
    sha256: str | None
    bases: tuple[str, ...] = (HUB, STANFORD)

    def urls(self) -> list[str]:
        """Return the URLs to try: first the user's mirrors (NADP_GLOVE_URLS, separated by spaces)."""
        mirrors = os.environ.get("NADP_GLOVE_URLS", "").split()
        return [base.rstrip("/") + "/" + self.file for base in (*mirrors, *self.bases)]


_6B = Archive("glove.6B.zip", "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb")
_TWITTER = Archive("glove.twitter.27B.zip", "792af52f795d1a32c9842a3240f5f3fe5e941a8ff6df5eb0f9d668092ebc019c")
_42B = Archive("glove.42B.300d.zip", "03d5d7fa28e58762ace4b85fb71fe86a345ef0b5ff39f5390c14869da0fc1970")
_840B = Archive("glove.840B.300d.zip", "c06db255e65095393609f19a4cfca20bf3a71e20cc53e892aafa490347e3849f")

GLOVE: dict[str, tuple[Archive, str | None]] = {
    **{f"glove.6B.{d}d": (_6B, f"glove.6B.{d}d.txt") for d in (50, 100, 200, 300)},
    "glove.42B.300d": (_42B, None),
    "glove.840B.300d": (_840B, None),
    **{f"glove.twitter.27B.{d}d": (_TWITTER, f"glove.twitter.27B.{d}d.txt") for d in (25, 50, 100, 200)},
    "glove.2024.dolma.300d": (Archive("glove.2024.dolma.300d.zip", None, (STANFORD,)), None),
    **{
        f"glove.2024.wikigiga.{d}d": (Archive(f"glove.2024.wikigiga.{d}d.zip", None, (STANFORD,)), None)
        for d in (50, 100, 200, 300)
    },
}
"""The tables of vectors that can be requested by name: the archive, and its member."""
