"""What the audit takes as a flow: published tables, too."""

from nadp.cli import audit
from tasks.sources.places import check_embedding, is_public
from tasks.store.sharing import check_store


class Audit(audit.Audit):  # noqa: D101 - the docstring of its base is its help
    original: str
    """The embedding without noise: a file, the folder of a static model, "sample", or what can be fetched, as for a
    release.
    """

    def check(self) -> None:
        """Refuse also a store that cannot be used, and what is private and would be kept."""
        super().check()
        check_embedding(self.original, private=not self.public)
        check_store()

    def check_embedding(self, embedding: str) -> None:
        """Refuse what is neither a published table nor a file."""
        check_embedding(embedding)

    def is_public(self, embedding: str) -> bool:
        """Return whether anybody can have an embedding."""
        return is_public(embedding)
