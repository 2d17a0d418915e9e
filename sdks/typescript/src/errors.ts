import type { ErrorCode, PaymentIntent } from "./generated.js";

/** Every error that this SDK throws by itself. */
export class CausewayError extends Error {
  override name = "CausewayError";
}

/** No whole answer came: refused, cut off, over time, or not JSON. The call may have taken effect. */
export class APIConnectionError extends CausewayError {
  override name = "APIConnectionError";
  readonly retryable: boolean = true;

  /** `idempotencyKey`: call again with it to learn what became of the call. */
  constructor(
    message: string,
    readonly idempotencyKey: string | null,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** The time of `wait` was over; `resource` is the payment as it was seen last. */
export class WaitTimeoutError extends CausewayError {
  override name = "WaitTimeoutError";

  constructor(
    message: string,
    readonly resource: PaymentIntent,
  ) {
    super(message);
  }
}

/** The payment ended otherwise than it was waited for; `resource` is how. */
export class UnexpectedStatusError extends WaitTimeoutError {
  override name = "UnexpectedStatusError";
}

/** What the service says of a call that it refused. */
export interface Refusal {
  status: number;
  code: ErrorCode;
  details: Record<string, unknown>;
  requestId: string | null;
  docUrl: string | undefined;
}

/** The service refused the call. `code` never changes its meaning; `docUrl` leads to what to change. */
export class APIError extends CausewayError implements Refusal {
  override name = "APIError";
  declare readonly status: number;
  declare readonly code: ErrorCode;
  declare readonly details: Record<string, unknown>;
  declare readonly requestId: string | null;
  declare readonly docUrl: string | undefined;
  /** Whether the same call may be answered otherwise soon; the SDK has tried again already, as often as it was let. */
  readonly retryable: boolean;

  constructor(message: string, refusal: Refusal) {
    super(message);
    Object.assign(this, refusal);
    this.retryable = /408|429|50[0234]/.test(String(this.status)) || this.code === "idempotency_key_in_progress";
  }
}

/** 401: no key, or not one of this service. */
export class AuthenticationError extends APIError {
  override name = "AuthenticationError";
}
/** 403: the key may not do this. */
export class PermissionDeniedError extends APIError {
  override name = "PermissionDeniedError";
}
/** 404: nothing that this key can see has that id. */
export class NotFoundError extends APIError {
  override name = "NotFoundError";
}
/** 409: not in this state, or the idempotency key stands for another request. */
export class ConflictError extends APIError {
  override name = "ConflictError";
}
/** 400, 405, 406, 413, 415, 422: the request must be changed. */
export class InvalidRequestError extends APIError {
  override name = "InvalidRequestError";
}
/** 429: slower. */
export class RateLimitError extends APIError {
  override name = "RateLimitError";
}
/** 5xx: not the caller's fault. */
export class ServerError extends APIError {
  override name = "ServerError";
}

const CLASSES: Record<number, typeof APIError> = {
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/** The error that stands for an answer of the service, or of something in front of it. */
export function errorOf({ status, headers }: Response, text: string): APIError {
  let body: Record<string, unknown> = {};
  try {
    body = Object(JSON.parse(text));
  } catch {
    // a proxy's page: the status says enough
  }
  const word = (value: unknown) => (typeof value === "string" ? value : undefined);
  const kind = CLASSES[status] ?? (status > 499 ? ServerError : status > 399 ? InvalidRequestError : APIError);
  return new kind(word(body["error"]) ?? `The service answered ${status}.`, {
    status,
    code: word(body["code"]) ?? "unexpected_answer",
    details: Object(body["details"]),
    requestId: word(body["request_id"]) ?? headers.get("request-id"),
    docUrl: word(body["doc_url"]),
  });
}
