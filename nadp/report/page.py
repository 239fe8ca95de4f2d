"""The report as one self-contained HTML file."""

from html import escape

from markdown_it import MarkdownIt

_STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; color: #1c2430; max-width: 68rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }
img { max-width: 100%; } em { color: #566; } code { background: #f0f2f5; padding: .1em .3em; border-radius: 3px; }
blockquote { background: #fff3d6; border-left: 5px solid #d98e04; margin: 1rem 0; padding: .4rem 1rem; }
table { border-collapse: collapse; font-size: .86rem; display: block; overflow-x: auto; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid #dde2e8; text-align: left; vertical-align: top; }
th { background: #f5f7f9; } tr:hover td { background: #fafbfc; }
"""


def page(markdown: str, title: str) -> str:
    """Return a Markdown text as an HTML page that needs no other file."""
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{_STYLE}</style>\n</head>\n'
        f"<body>\n{body}</body>\n</html>\n"
    )
