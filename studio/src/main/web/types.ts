// What the admin API answers. A field that a gateway of another version leaves out is undefined.

export interface Tokens {
  input: number;
  cached_input: number;
  cache_write: number;
  output: number;
  reasoning: number;
  estimated?: boolean;
}

export interface Call {
  id: string;
  run: string | null;
  parent: string | null;
  client: string | null;
  started_at: string;
  dialect: string;
  path: string;
  model: string | null;
  target: string | null;
  stream: boolean;
  status: number | null;
  verdict: string | null;
  recovery: string[] | string | null;
  attempts: number;
  tokens: Tokens | null;
  cost_usd: number | null;
  price_version?: string | null;
  first_token_ms: number | null;
  total_ms: number | null;
}

export interface Attempt {
  number: number;
  target: string;
  waited_ms: number;
  started_at: string;
  headers_ms: number | null;
  first_token_ms: number | null;
  total_ms: number | null;
  status: number | null;
  failure: Record<string, unknown> | null;
  verdict: string | null;
  rule: string | null;
  decision: string | null;
  reason: string | null;
  bytes_sent: number;
  bytes_received: number;
  tokens: Tokens | null;
  cost_usd: number | null;
}

export interface Body {
  attempt: number;
  part: string;
  bytes: number;
}

export interface WholeCall {
  call: Call;
  attempts: Attempt[];
  bodies?: Body[];
  state?: string;
  redriven_as?: string | null;
}

export interface Calls {
  calls: Call[];
  next: string | null;
}

export interface Breaker {
  target: string;
  state: string;
  [other: string]: unknown;
}

export interface Run {
  run: string;
  agent: string;
  client: string | null;
  parent: string | null;
  session: string | null;
  priority: number;
  status: string;
  accepted_at: string;
  ended_at: string | null;
  [other: string]: unknown;
}

export interface WholeRun extends Run {
  input: string;
  definition_hash: string;
  reason: string | null;
  output: unknown;
  turns: number;
  steps: number;
  attempts: number;
  tokens: number;
  cost_usd: number | null;
  waits_for: { step: number; tool: string; approve?: unknown; resolve?: string }[];
}

export interface Runs {
  runs: Run[];
  next: string | null;
}

export interface CostRow {
  key: string | null;
  calls: number;
  failed: number;
  attempts: number;
  tokens: Tokens;
  cost_usd: number | null;
  attempts_without_price: number;
}

export interface Costs {
  by: string;
  from: string;
  to: string;
  cost_usd: number | null;
  /** Hours that cost more than others, the newest first. */
  spikes?: { at: string; spent_usd: number; usual_usd: number | null }[];
  forecast?: { day_usd: number; month_usd: number; basis_days: number } | null;
  rows: CostRow[];
}
