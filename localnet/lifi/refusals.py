"""The ways in which LI.FI says no, in its own form. Source: chains, LI.FI errors; npm @lifi/types (ErrorCode)."""

from typing import Any

NO_QUOTE, NOT_FOUND, RATE_LIMIT, SERVER, THIRD_PARTY, VALIDATION = 1002, 1003, 1005, 1006, 1008, 1011
FAILED_TO_BUILD = 1001
STATUSES = {
    FAILED_TO_BUILD: 404,
    NO_QUOTE: 404,
    NOT_FOUND: 404,
    RATE_LIMIT: 429,
    SERVER: 500,
    THIRD_PARTY: 424,
    VALIDATION: 400,
}
LIMITED = {"ratelimit-limit": "75", "ratelimit-remaining": "0", "ratelimit-reset": "2"}
"""What a caller is told with 429."""


class Refusal(Exception):
    """An answer that is none."""

    def __init__(self, code: int, message: str, errors: object = None) -> None:
        super().__init__(message)
        self.code, self.status = code, STATUSES[code]
        self.body: dict[str, Any] = {"message": message, "code": code}
        if errors is not None:
            self.body["errors"] = errors
        self.headers = LIMITED if code == RATE_LIMIT else {}


def invalid(message: str) -> Refusal:
    """A request that does not say what it must."""
    return Refusal(VALIDATION, message)


def no_route(path: str, tool: str, reason: str, message: str) -> Refusal:
    """No way to do it; ``reason`` is a ToolError's code."""
    failure = {"errorType": "NO_QUOTE", "code": reason, "tool": tool, "message": message, "action": {}}
    failed = [{"overallPath": path, "subpaths": {path: [failure]}}]
    return Refusal(NO_QUOTE, "No available quotes for the requested transfer", {"filteredOut": [], "failed": failed})


def filtered_out(path: str, reason: str) -> Refusal:
    """Ways there are, but the caller does not want them."""
    filtered = [{"overallPath": path, "reason": reason}]
    return Refusal(NO_QUOTE, "No available quotes for the requested transfer", {"filteredOut": filtered, "failed": []})
