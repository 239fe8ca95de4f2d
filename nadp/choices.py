"""The choices of parameters: names only, so that help and refusals need no other module."""

from typing import Literal

Isolated = Literal["nearest", "global", "drop", "exact"]
"""Policies for isolated words, see nadp.components."""
Search = Literal["annoy", "nndescent", "exact", "auto"]
"""Searches for neighbours, see nadp.search."""
Sampler = Literal["system", "opendp"]
"""Sources of noise for publication, see nadp.noise.grid."""
Unknown = Literal["drop", "error", "subword"]
"""Treatments of unknown tokens, see nadp.texts.words."""
BetweenGroups = Literal["exponential", "gaussian"]
"""Mechanisms between groups, see nadp.texts.channels."""
Output = Literal["vectors", "centroids", "words"]
"""Outputs for a text, see nadp.texts.files."""
TokenizerName = Literal["spaces", "words", "treebank", "model"]
"""Ways to split texts, see nadp.tokens."""
