import { useState } from "preact/hooks";
import { ApiError, post } from "../api";
import { count, plural } from "../format";
import { go, useApi, useParameter } from "../hooks";
import { harmless, line } from "../text";
import { Act, Ago, Badge, Empty, Facts, Link, Newest, Panel, Problem, Show, type Tone } from "../ui";
import { kind } from "./shared";

interface Case {
  id: string; rule: string; verdict: string; target: string; message: string; reason: string; meaning: string;
  count: number; first_seen: string; last_seen: string; last_call: string; state: string;
}

interface Noted extends Case { notes: { at: string; by: string; text: string }[] }

/** What the list begins with. */
const ORDERS: [string, string][] = [["last", "Last seen first"], ["first", "Newest first"], ["count", "Most frequent first"]];

const TONES: Record<string, Tone> = { open: "bad", reopened: "bad", closed: "" };

export function FailuresPage({ id: chosen }: { id: string | undefined }) {
  const [state, setState] = useParameter("state", "open");
  const [order, setOrder] = useParameter("order", "last");
  const [find, setFind] = useParameter("find");
  const cases = useApi<{ failures: Case[]; next: string | null }>("/api/failures?limit=500", 15_000);
  return (
    <>
      <div class="head"><h1>Failures</h1>
        <div class="seeks"><input type="search" aria-label="Find a failure" placeholder="Find: words of a message, a kind, a rule, a target" value={find} onInput={(event) => setFind(event.currentTarget.value)} /></div>
        <select aria-label="Order" value={order} onChange={(event) => setOrder(event.currentTarget.value)}>{ORDERS.map(([name, title]) => <option value={name}>{title}</option>)}</select>
        <select aria-label="Which cases" value={state} onChange={(event) => setState(event.currentTarget.value)}><option value="open">Open</option><option value="closed">Closed</option><option value="all">All</option></select>
      </div>
      {chosen && <One key={chosen} id={chosen} changed={cases.reload} />}
      {cases.error?.status === 404 ? null : <Show from={cases}>{(data) => {
        const list = data.failures.filter((each) => state === "all" || (each.state === "closed") === (state === "closed"))
          .filter((each) => `${each.message} ${each.verdict} ${kind(each.verdict).replaceAll("_", " ")} ${each.rule} ${each.target}`.toLowerCase().includes(find.toLowerCase()))
          .sort((a, b) => (order === "count" ? b.count - a.count : order === "first" ? b.first_seen.localeCompare(a.first_seen) : b.last_seen.localeCompare(a.last_seen)));
        return (
          <Panel flush>{list.length === 0 ? <Empty title={find ? "No case has these words" : state === "open" ? "No open case" : "No case"}>This page groups failures of one rule and message into one case, with their meaning and Mainstay's decision.</Empty> : (
            <div class="in scroll"><table class="plain stacks"><thead><tr><th>Kind</th><th>Message</th><th>Where</th><th class="num">Count</th><th class="num">First seen, ago</th><th class="num">Last seen, ago</th></tr></thead><tbody>
              {list.map((each) => (
                <tr><td><Badge tone={TONES[each.state] ?? ""} title={each.verdict}>{kind(each.verdict).replaceAll("_", " ")}</Badge></td><td class="free"><Link class="link" href={`/failures/${encodeURIComponent(each.id)}${state === "open" ? "" : `?state=${state}`}`}>{line(each.message, 120) || each.rule || "without words"}</Link></td><td class="soft nowrap">{each.target || "–"}</td><td class="num" data-label="times">{count(each.count)}</td><td class="num soft" data-label="first seen"><Ago at={each.first_seen} short /></td><td class="num soft" data-label="last seen"><Ago at={each.last_seen} short /></td></tr>
              ))}
            </tbody></table><Newest of={data.failures} next={data.next} /></div>
          )}</Panel>
        );
      }}</Show>}
      <Panel title="What would happen to this failure?"><Classify /></Panel>
    </>
  );
}

function One({ id, changed }: { id: string; changed: () => void }) {
  const api = `/api/failures/${encodeURIComponent(id)}`;
  const loaded = useApi<Noted>(api);
  const [note, setNote] = useState("");
  const send = (action: string, body: unknown = {}) => async () => {
    await post(`${api}/${action}`, body);
    setNote("");
    loaded.reload();
    changed();
  };
  return (
    <Show from={loaded}>{(each) => (
      <Panel title={<span>{kind(each.verdict).replaceAll("_", " ")} <span class="faint">{each.rule}</span></span>} side={<><Badge tone={TONES[each.state] ?? ""}>{each.state}</Badge><Act tone="small" act={send(each.state === "closed" ? "open" : "close")} done={each.state === "closed" ? "Open again." : "Closed. Mainstay reopens it if the failure occurs again."}>{each.state === "closed" ? "Open again" : "Close"}</Act><button class="btn small" onClick={() => go("/failures")}>Back</button></>}>
        <div class="col gap16">
          <pre class="code" tabIndex={0}>{harmless(each.message.slice(0, 4000)) || "Without words."}</pre>
          <p>{line(each.meaning, 600)}</p>
          <Facts facts={[["Seen", plural(each.count, "time")], ["Where", each.target], ["First", <Ago at={each.first_seen} />], ["Last", <Ago at={each.last_seen} />], ["What was done", line(each.reason, 300)]]} />
          <div class="row wrap"><Link class="link" href={`/calls?kind=${encodeURIComponent(kind(each.verdict))}`}>Calls that ended by this kind</Link>{each.last_call && <Link class="link" href={`/calls/${encodeURIComponent(each.last_call)}`}>The last call that met it</Link>}</div>
          {(each.notes ?? []).map((one) => <p><span class="faint">{line(one.by, 60)}, <Ago at={one.at} />:</span> {line(one.text, 800)}</p>)}
          <form class="row" onSubmit={(event) => event.preventDefault()}><input class="grow" aria-label="Note" placeholder="What is known about it" value={note} onInput={(event) => setNote(event.currentTarget.value)} /><Act act={send("notes", { text: note })} done="Noted.">Add note</Act></form>
        </div>
      </Panel>
    )}</Show>
  );
}

type Verdict = Record<string, unknown>;

const EXAMPLE = 'HTTP 429 {"error": {"message": "Rate limit reached for gpt-4o. Please try again in 1.2s.", "code": "rate_limit_exceeded"}}';

function Classify() {
  const [text, setText] = useState("");
  const [provider, setProvider] = useState("");
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const ask = async () => {
    const status = /\b([45]\d\d)\b/.exec(text);
    const at = text.indexOf("{");
    const failure = text.trim().startsWith("{") && /"(status|where|body)"/.test(text) ? JSON.parse(text) : at >= 0 ? { where: "http", status: status ? Number(status[1]) : null, body: text.slice(at) } : { message: text, status: status ? Number(status[1]) : null };
    if (provider) failure.provider = provider;
    try {
      setVerdict(await post<Verdict>("/api/classify", failure));
      setError(null);
    } catch (thrown) {
      setVerdict(null);
      setError(ApiError.of(thrown));
    }
  };
  return (
    <form class="col" onSubmit={(event) => { event.preventDefault(); void ask(); }}>
      <textarea rows={4} aria-label="A failure" placeholder={EXAMPLE} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <div class="row wrap"><input aria-label="Provider" placeholder="provider (optional)" value={provider} onInput={(event) => setProvider(event.currentTarget.value)} /><button class="btn first" disabled={!text.trim()}>Classify</button><button type="button" class="link" onClick={() => setText(EXAMPLE)}>An example</button></div>
      {error && (error.status === 404 ? <p class="soft">This gateway does not classify over HTTP. In the terminal: <code>./mainstay classify --explain</code>.</p> : <Problem error={error} />)}
      {verdict && <div class="col"><div class="row wrap"><Badge tone={verdict.class === "TRANSIENT" ? "warn" : "bad"}>{String(verdict.class)}/{String(verdict.kind)}</Badge><span>{verdict.retry_same ? "Mainstay retries at the same target" : "Mainstay does not retry at the same target"}{verdict.retry_after_s ? ` after ${verdict.retry_after_s} s` : ""}; {verdict.fallback ? "another target may help" : "no other target helps"}{verdict.repair ? `; the request is repaired: ${verdict.repair}` : ""}.</span></div><Facts facts={Object.entries(verdict).filter(([name]) => name !== "id").map(([name, value]) => [name.replaceAll("_", " "), line(String(value ?? "–"), 300)])} /></div>}
    </form>
  );
}
