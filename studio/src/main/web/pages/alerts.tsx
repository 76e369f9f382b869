import { count } from "../format";
import { useApi, useParameter } from "../hooks";
import { Linked, line } from "../text";
import { Ago, Badge, Empty, Newest, Panel, Show, type Tone } from "../ui";

interface Alert { id: string; kind: string; cause: string; message: string; raised_at: string; suppressed: number; delivery: string; tries: number; next_at: string | null; trouble: string | null }

const TONES: Record<string, Tone> = { fatal: "bad", breaker: "bad", budget: "warn", spike: "warn", "dead-letter": "bad", "in-doubt": "warn", approval: "info", slo: "bad", "retry-rate": "warn" };

/** Where alerts can be sent, as the configuration names it. */
const CHANNELS = ["webhook", "slack", "email"];

const words = (kind: string) => kind.replaceAll("-", " ");

export function AlertsPage() {
  const [kind, setKind] = useParameter("kind");
  const alerts = useApi<{ alerts: Alert[]; next: string | null }>("/api/alerts?limit=500", 8000);
  const config = useApi<{ alerts?: Record<string, unknown> }>("/api/config");
  // Without a channel nothing is on its way.
  const silent = config.data !== null && !CHANNELS.some((each) => config.data?.alerts?.[each]);
  return (
    <Show from={alerts}>{(data) => {
      const kinds = [...new Set(data.alerts.map((each) => each.kind))].sort();
      const shown = data.alerts.filter((each) => !kind || each.kind === kind);
      return (
        <>
          <div class="head"><h1>Alerts</h1><span class="grow" />{kinds.map((each) => <button class="btn small" aria-pressed={each === kind} onClick={() => setKind(each === kind ? "" : each)}>{words(each)}</button>)}</div>
          {silent && data.alerts.length > 0 && <p class="soft">No channel is configured, so Mainstay shows alerts here alone. <code>alerts: {"{ slack: { url: … } }"}</code> sends them.</p>}
          <Panel flush>{shown.length === 0 ? <Empty title="No alert" code={'alerts:\n  webhook: { url: "https://…", secret: "${ALERT_SECRET}" }\n  on: [fatal, breaker, budget, spike, dead-letter, in-doubt, approval]'}>Each cause alerts once and is then throttled. A webhook carries a signature and a delivery id.</Empty> : (
            <div class="in scroll"><table class="plain stacks"><thead><tr><th>When</th><th>Kind</th><th>What</th><th class="num" title="Alerts of the same cause that were not sent again">Held back</th><th>Delivery</th></tr></thead><tbody>
              {shown.slice(0, 500).map((each) => <tr><td class="nowrap soft"><Ago at={each.raised_at} /></td><td><Badge tone={TONES[each.kind] ?? ""}>{words(each.kind)}</Badge></td><td class="free"><Linked text={each.message} /></td><td class="num" data-label="held back">{each.suppressed > 0 ? count(each.suppressed) : ""}</td><td data-label="delivery">{silent && each.delivery === "pending" ? <span class="faint">–</span> : each.delivery}{each.tries > 1 && <span class="faint"> after {each.tries} tries</span>}{each.trouble && <div class="bad">{line(each.trouble, 200)}</div>}</td></tr>)}
            </tbody></table><Newest of={data.alerts} next={data.next} /></div>
          )}</Panel>
        </>
      );
    }}</Show>
  );
}
