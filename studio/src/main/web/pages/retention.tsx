// What is kept of calls and runs, how long, and how much room it takes now.

import { bytes, count } from "../format";
import { useApi } from "../hooks";
import { line } from "../text";
import { Facts, Show } from "../ui";

interface Config {
  recording?: { bodies?: boolean; redact?: unknown[]; retention?: string | null; "max-bytes"?: string | null };
  runs?: { retention?: string | null };
  idempotency?: { window?: string | null; retention?: string | null };
  store?: { url?: string; "max-kept"?: string };
  sources?: Record<string, unknown>;
}

interface Health { ledger?: { written: number; waiting: number; dropped_calls: number; dropped_bodies: number }; state?: { kept?: { bytes: number; max_bytes: number } } }

export function Retention() {
  const config = useApi<Config>("/api/config");
  const health = useApi<Health>("/health", 10_000);
  return (
    <Show from={config}>{(data) => {
      const recording = data.recording ?? {};
      const kept = health.data?.state?.kept;
      const ledger = health.data?.ledger;
      return (
        <div class="col gap16">
          <Facts facts={[
            ["Prompts and answers", recording.bodies === false ? "not recorded" : "recorded"],
            ["Calls are kept", recording.retention ?? "for good"],
            ["All bodies at most", recording["max-bytes"] ?? "without a bound"],
            ["Redacted", (recording.redact ?? []).length > 0 ? (recording.redact ?? []).map((each) => line(typeof each === "string" ? each : JSON.stringify(each), 60)).join(", ") : "nothing"],
            ["Runs are kept", data.runs?.retention ?? recording.retention ?? "for good"],
            ["Store", <code>{line(data.store?.url ?? "–", 80)}</code>],
          ]} />
          <Facts facts={[
            ["Kept calls now", kept ? `${bytes(kept.bytes)} of ${bytes(kept.max_bytes)}` : "–"],
            ["Written since the start", ledger ? count(ledger.written) : "–"], ["Waiting to be written", ledger ? count(ledger.waiting) : "–"],
            ["Dropped", ledger ? `${count(ledger.dropped_calls)} calls, ${count(ledger.dropped_bodies)} bodies` : "–"],
          ]} />
          <pre class="code" tabIndex={0}>{"recording:\n  bodies: true\n  retention: 30d\n  max-bytes: 20GiB\n  redact: [\"/messages/*/content\"]"}</pre>
        </div>
      );
    }}</Show>
  );
}
