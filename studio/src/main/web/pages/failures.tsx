import { useState } from "preact/hooks";
import { ApiError, post, url } from "../api";
import { count } from "../format";
import { go, useApi, useParameter } from "../hooks";
import { harmless, line } from "../text";
import { Act, Ago, Badge, Empty, Facts, Link, Panel, Problem, Show } from "../ui";

interface Case {
  id?: string; case?: string; kind: string; class?: string; verdict?: string; rule?: string | null; provider?: string | null; target?: string | null; message: string;
  count: number; first_seen_at?: string; last_seen_at?: string; first_seen?: string; last_seen?: string; state?: string; status?: string; notes?: { text: string; by: string; at: string }[] | string | null;
  meaning?: string | null; decisions?: Record<string, number>; calls?: string[]; example_call?: string | null; last_call?: string | null;
}

const id = (each: Case) => each.id ?? each.case ?? "";
const open = (each: Case) => (each.state ?? each.status ?? "open") === "open";

export function FailuresPage({ id: chosen }: { id: string | undefined }) {
  const [state, setState] = useParameter("state", "open");
  const cases = useApi<{ failures?: Case[]; cases?: Case[] }>(url("/api/failures", { state: state === "all" ? null : state, limit: 200 }), 15_000);
  const none = cases.error?.status === 404;
  return (
    <>
      <div class="head"><h1>Failures</h1><span class="grow" />
        <select aria-label="Which cases" value={state} onChange={(event) => setState(event.currentTarget.value)}><option value="open">Open</option><option value="closed">Closed</option><option value="all">All</option></select>
      </div>
      {!none && <Show from={cases}>{(data) => {
        const list = data.failures ?? data.cases ?? [];
        const one = chosen ? list.find((each) => id(each) === chosen) : undefined;
        return (
          <>
            {chosen && !one && <Problem error={new ApiError(404, "unknown_case", "This case is not among those shown: it may be closed.")} />}
            {one && <One each={one} reload={cases.reload} />}
            <Panel flush>{list.length === 0 ? <Empty title={state === "open" ? "No open case" : "No case"}>Failures of one rule and message come together here as one case, with what they mean and what was done.</Empty> : (
              <div class="in scroll"><table class="plain"><thead><tr><th>Kind</th><th>Message</th><th>Where</th><th class="num">Count</th><th class="num">First</th><th class="num">Last</th></tr></thead><tbody>
                {list.map((each) => (
                  <tr><td><Badge tone="bad">{each.kind.replaceAll("_", " ")}</Badge></td><td><Link class="link" href={`/failures/${encodeURIComponent(id(each))}?state=${state}`}>{line(each.message, 140) || each.rule || "without words"}</Link></td><td class="soft">{each.target ?? each.provider ?? "–"}</td><td class="num">{count(each.count)}</td><td class="num soft"><Ago at={each.first_seen_at ?? each.first_seen} /></td><td class="num soft"><Ago at={each.last_seen_at ?? each.last_seen} /></td></tr>
                ))}
              </tbody></table></div>
            )}</Panel>
          </>
        );
      }}</Show>}
      <Panel title="What would happen to this failure?"><Classify /></Panel>
    </>
  );
}

function One({ each, reload }: { each: Case; reload: () => void }) {
  const [note, setNote] = useState("");
  const send = (body: unknown) => async () => {
    await post(`/api/failures/${encodeURIComponent(id(each))}`, body);
    setNote("");
    reload();
  };
  const notes = Array.isArray(each.notes) ? each.notes : [];
  return (
    <Panel title={<span>{each.kind.replaceAll("_", " ")} <span class="faint">{each.rule}</span></span>} side={<><Act tone="small" act={send({ state: open(each) ? "closed" : "open" })} done={open(each) ? "Closed." : "Open again."}>{open(each) ? "Close" : "Open again"}</Act><button class="btn small" onClick={() => go("/failures")}>Back</button></>}>
      <div class="col gap16">
        <pre class="code" tabIndex={0}>{harmless(each.message.slice(0, 4000))}</pre>
        {each.meaning && <p>{each.meaning}</p>}
        <Facts facts={[["Seen", `${count(each.count)} times`], ["Where", each.target ?? each.provider], ...Object.entries(each.decisions ?? {}).map(([name, n]): [string, string] => [name, count(n)])]} />
        <div class="row wrap"><Link class="link" href={`/calls?kind=${encodeURIComponent(each.kind)}`}>Calls of this kind</Link>{(each.example_call ?? each.last_call) && <Link class="link" href={`/calls/${encodeURIComponent((each.example_call ?? each.last_call)!)}`}>The last one</Link>}</div>
        {notes.map((one) => <p><span class="faint">{one.by}, <Ago at={one.at} />:</span> {line(one.text, 800)}</p>)}
        <form class="row" onSubmit={(event) => event.preventDefault()}><input class="grow" aria-label="Note" placeholder="What is known about it" value={note} onInput={(event) => setNote(event.currentTarget.value)} /><Act act={send({ note })} done="Noted.">Add note</Act></form>
      </div>
    </Panel>
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
      setError(thrown instanceof ApiError ? thrown : new ApiError(0, "unreadable", String(thrown)));
    }
  };
  return (
    <form class="col" onSubmit={(event) => { event.preventDefault(); void ask(); }}>
      <textarea rows={4} aria-label="A failure" placeholder={EXAMPLE} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <div class="row wrap"><input aria-label="Provider" placeholder="provider (optional)" value={provider} onInput={(event) => setProvider(event.currentTarget.value)} /><button class="btn first" disabled={!text.trim()}>Classify</button><button type="button" class="link" onClick={() => setText(EXAMPLE)}>An example</button></div>
      {error && (error.status === 404 ? <p class="soft">This gateway does not classify over HTTP. In the terminal: <code>./mainstay classify --explain</code>.</p> : <Problem error={error} />)}
      {verdict && <div class="col"><div class="row wrap"><Badge tone={verdict.class === "TRANSIENT" ? "warn" : "bad"}>{String(verdict.class)}/{String(verdict.kind)}</Badge><span>{verdict.retry_same ? "The same target is asked again" : "The same target is not asked again"}{verdict.retry_after_s ? ` after ${verdict.retry_after_s} s` : ""}; {verdict.fallback ? "another target may help" : "no other target helps"}{verdict.repair ? `; the request is repaired: ${verdict.repair}` : ""}.</span></div><Facts facts={Object.entries(verdict).filter(([name]) => name !== "id").map(([name, value]) => [name.replaceAll("_", " "), line(String(value ?? "–"), 300)])} /></div>}
    </form>
  );
}
