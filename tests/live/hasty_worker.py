"""The process of the web server with less patience, so that nobody waits a minute for its end."""

from dimensions_site.web_worker import WebWorker


class HastyWorker(WebWorker):
    seconds_for_headers = 3
    seconds_of_silence = 3
