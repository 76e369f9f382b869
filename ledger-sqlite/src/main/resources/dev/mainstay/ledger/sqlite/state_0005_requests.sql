-- A request is kept for as long as a call may have to be made of it, and no longer.

update kept_calls set request_headers = '', request_body = x'' where stand in ('answered', 'redriven', 'discarded');
