"""Parameters of the audit as a flow: they also accept published tables."""

from flows.parameters.fetched import FetchedParameters
from nadp.cli import audit
from tasks.sources.places import check_embedding


class Audit(audit.Audit, FetchedParameters):  # noqa: D101 - the docstring of its base is its help
    original: str
    """The embedding without noise: a file, the folder of a static model, "sample", or, as for a release, the name of a
    published table, a URL or a name of the Hub.
    """

    def check(self) -> None:
        """Also refuse a private embedding that would remain in a download folder."""
        super().check()
        check_embedding(self.original, private=not self.public)
