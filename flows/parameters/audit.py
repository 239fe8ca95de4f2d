"""What the audit takes as a flow: published tables, too."""

from nadp.cli import audit
from tasks.sources.places import check_embedding, is_public
from tasks.store.sharing import check_store


class Audit(audit.Audit):  # noqa: D101 - the docstring of its base is its help
    original: str
    """The embedding without noise: a GloVe text file (plain, .gz or .zip), "sample", or the name of a published table.
    """

    def check(self) -> None:
        """Refuse also a store that cannot be used."""
        super().check()
        check_store()

    def check_embedding(self, embedding: str) -> None:
        """Refuse what is neither a published table nor a file."""
        check_embedding(embedding)

    def is_public(self, embedding: str) -> bool:
        """Return whether anybody can have an embedding."""
        return is_public(embedding)
