"""Reports: pages and figures for readers who have not seen the code."""
