"""`sleuth ui`: every run, case and sweep as pages of one local web server.

Pages are made here and only shown in the browser: curves are SVG, so a page reads the same with and without
script, in a report and in an export. What is read from the archive is never executed and always escaped.
"""
