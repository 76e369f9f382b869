// The admin API as the pages ask it: JSON in and out, errors with what to do, waits that grow while
// the gateway is away, and silence while the tab is hidden.

import { heard } from "./clock";

/** An error of the API, in its own words. Status 0: the gateway cannot be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly allowed: string[] = [],
  ) {
    super(message);
  }

  /** What was thrown, as an error of the API: an answer that is no JSON is one too. */
  static of(thrown: unknown): ApiError {
    return thrown instanceof ApiError ? thrown : new ApiError(500, "unreadable", `The gateway's answer cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }

  /** Whether the same question may have an answer later: away, busy, or broken for now. */
  get passes(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429;
  }
}

/** Who looks at the pages. `csrf_token`: what a session proves a change with; null where none is needed. */
export interface Who {
  name: string;
  role: string;
  by: string;
  sees_bodies: boolean;
  csrf_token: string | null;
  expires_at: string | null;
}

let csrf: string | null = null;

function headers(extra: Record<string, string>): Record<string, string> {
  return csrf ? { ...extra, "x-csrf-token": csrf } : extra;
}

/** Who one is; null on a gateway without sign-in. Changes made after it carry the session's proof. */
export async function whoAmI(): Promise<Who | null> {
  try {
    return remember(await get<Who>("/api/session"));
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return null;
    throw thrown;
  }
}

function remember(who: Who): Who {
  csrf = who.csrf_token;
  return who;
}

export async function signIn(credentials: { name: string; password: string } | { token: string }): Promise<Who> {
  return remember(await post<Who>("/api/session", credentials));
}

export async function signOut(): Promise<void> {
  await ask("/api/session", { method: "DELETE", headers: headers({}) });
  csrf = null;
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: "same-origin" });
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown;
    throw new ApiError(0, "unreachable", "The gateway cannot be reached.");
  }
  heard(response.headers.get("date"));
  if (!response.ok) throw await problem(response);
  return response;
}

async function problem(response: Response): Promise<ApiError> {
  let body: { error?: { code?: string; message?: string; allowed?: unknown } } = {};
  try {
    body = await response.json();
  } catch {
    // A proxy's page, or nothing: the status alone says what there is to say.
  }
  const error = body.error ?? {};
  const allowed = Array.isArray(error.allowed) ? error.allowed.map(String) : [];
  return new ApiError(
    response.status,
    error.code ?? `http_${response.status}`,
    error.message ?? `The gateway answered ${response.status}.`,
    allowed,
  );
}

/** How long a question may go without its whole answer: a connection that is lost unseen says nothing. */
const PATIENCE_MS = 60_000;

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const either = signal ? AbortSignal.any([signal, patience]) : patience;
  try {
    return await (await ask(path, { signal: either, headers: headers({ accept: "application/json" }) })).json();
  } catch (thrown) {
    if (patience.aborted && !signal?.aborted) throw new ApiError(0, "timeout", `The gateway did not answer within ${PATIENCE_MS / 1000} s.`);
    throw thrown;
  }
}

/** At most `most` bytes of a body, as text; whether there is more. */
export async function text(
  path: string,
  most: number,
  signal?: AbortSignal,
): Promise<{ text: string; whole: boolean }> {
  const response = await ask(path, { signal, headers: headers({}) });
  const reader = response.body?.getReader();
  if (!reader) return { text: "", whole: true };
  const decoder = new TextDecoder();
  let read = 0;
  let out = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: out + decoder.decode(), whole: true };
    out += decoder.decode(value, { stream: true });
    read += value.length;
    if (read >= most) {
      void reader.cancel();
      return { text: out, whole: false };
    }
  }
}

export async function post<T>(path: string, body: unknown = {}, key?: string): Promise<T> {
  const extra: Record<string, string> = { "content-type": "application/json" };
  if (key) extra["idempotency-key"] = key;
  const response = await ask(path, {
    method: "POST",
    headers: headers(extra),
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  return (answer ? JSON.parse(answer) : null) as T;
}

/** `path` with those parameters that have a value. */
export function url(path: string, parameters: Record<string, string | number | null | undefined>) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}
