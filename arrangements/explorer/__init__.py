"""The explorer: a page on which rows can be moved and one sees what becomes possible.

`state` holds exact numbers and how they are changed, `regions` asks the engine, `outlines` says
where regions are drawn, `views` and `answers` make JSON and HTML of it, and `session` answers the
messages of a page; none of them knows a browser. `page` draws with Bokeh, and `server` serves it.
"""
