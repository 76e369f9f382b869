import { useEffect, useState } from "preact/hooks";
import { post, text as read } from "../api";
import { bytes, compact, count, fullTime, ms, time, usd } from "../format";
import { go, useApi, useParameter } from "../hooks";
import { Legend } from "../chart";
import { Conversation, Raw, pretty } from "../conversation";
import { harmless, line } from "../text";
import { Act, Badge, Copy, Facts, Filter, Link, Panel, Problem, Show, Tabs } from "../ui";
import type { Attempt, Body, WholeCall } from "../types";
import { Evaluate } from "./evaluations";
import { CallBadge, figure, kind, recoveries } from "./shared";
import { ApiError } from "../api";

/** Bytes of one body that a page fetches. */
const MOST = 2_000_000;

export function CallPage({ id }: { id: string }) {
  const loaded = useApi<WholeCall>(`/api/calls/${encodeURIComponent(id)}`);
  const running = loaded.data?.call.status === null && !loaded.data.call.verdict;
  useEffect(() => {
    if (!running) return;
    const timer = window.setInterval(() => !document.hidden && loaded.reload(), 1500);
    return () => window.clearInterval(timer);
  }, [running]);
  return (
    <>
      {!loaded.data && loaded.error && <div class="head"><Link class="soft" href="/calls">Calls</Link><span class="faint">/</span><h1 class="cut">{line(id, 60)}</h1></div>}
      <Show from={loaded}>{(data) => <Whole data={data} />}</Show>
    </>
  );
}

function Whole({ data }: { data: WholeCall }) {
  const { call, attempts } = data;
  const [tab, setTab] = useParameter("tab", "conversation");
  const bodies = data.bodies ?? [];
  return (
    <>
      <div class="head">
        <div class="col gap4 grow">
          <div class="row wrap">
            <Link class="soft" href="/calls">Calls</Link><span class="faint">/</span>
            <h1 class="cut">{call.model ? <Filter of="/calls" name="model" value={call.model} /> : call.path}</h1>
            <CallBadge call={call} />
            {recoveries(call).map((each) => <Filter of="/calls" name="recovery" value={each}><Badge tone="warn">{each}</Badge></Filter>)}
          </div>
          <div class="row"><span class="id cut">{call.id}</span><Copy text={call.id}>Copy id</Copy></div>
        </div>
        <Replay id={call.id} />
      </div>
      <Panel>
        <Facts facts={[
          ["Answered by", <Filter of="/calls" name="target" value={call.target} />],
          ["Status", call.status === null ? "–" : <span><Filter of="/calls" name="status" value={String(call.status)} />{call.stream ? ", streamed" : ""}</span>],
          ["First token", ms(call.first_token_ms)],
          ["Total", ms(call.total_ms)],
          ["Attempts", count(call.attempts)],
          ["Tokens", call.tokens && <span title={`cached ${call.tokens.cached_input}, cache write ${call.tokens.cache_write}, reasoning ${call.tokens.reasoning}`}>{compact(call.tokens.input)} in, {compact(call.tokens.output)} out{call.tokens.estimated ? " (estimated)" : ""}</span>],
          ["Cost", call.cost_usd === null && call.tokens ? <span class="soft">price unknown</span> : usd(call.cost_usd)],
          ["Client", <Filter of="/calls" name="client" value={call.client} />],
          ["Started", <time title={fullTime(call.started_at)}>{time(call.started_at)}</time>],
          ...(call.run ? [["Run", <Link class="link" href={`/runs/${encodeURIComponent(call.run)}`}>{call.run}</Link>] as [string, preact.ComponentChildren]] : []),
          ...(data.state ? [["Kept as", <Link class="link" href={`/dead-letters/${encodeURIComponent(call.id)}`}>{data.state === "dead" ? "dead letter" : data.state}</Link>] as [string, preact.ComponentChildren]] : []),
        ]} />
      </Panel>
      {attempts.length > 0 && (
        <Panel title={attempts.length === 1 ? "One attempt" : `${attempts.length} attempts`} side={<Legend items={SHADES.filter(([name]) => name !== SHADES[2]![0] || attempts.some((each) => each.waited_ms > 0))} />}>
          <Waterfall attempts={attempts} start={Date.parse(call.started_at)} total={call.total_ms} />
        </Panel>
      )}
      <Panel flush>
        <div class="in col">
          <Tabs tabs={[["conversation", "Conversation"], ["request", "Request, raw"], ["answer", "Answer, raw"], ["record", "Record"], ["evaluations", "Evaluations"]]} at={tab} pick={setTab} />
          {tab === "record" ? <Raw text={JSON.stringify(data)} whole /> : tab === "evaluations" ? <Evaluate call={call.id} /> : <Bodies id={call.id} bodies={bodies} attempts={attempts} tab={tab} />}
        </div>
      </Panel>
    </>
  );
}

/** What the parts of a bar mean. */
const SHADES: [string, string][] = [["until the first token", "color-mix(in srgb, var(--good) 38%, var(--panel))"], ["tokens arrive", "var(--good)"], ["Mainstay waits before it", "repeating-linear-gradient(90deg, var(--line-strong) 0 2px, transparent 2px 4px)"], ["failed", "var(--bad)"]];

function tone(attempt: Attempt): string {
  if (attempt.verdict) return /cancel|client/.test(attempt.verdict) ? "soft" : "bad";
  return "good";
}

/** Attempts on one scale of time: dots for waits, pale up to the first token. */
export function Waterfall({ attempts, start, total }: { attempts: Attempt[]; start: number; total: number | null }) {
  const [open, setOpen] = useState<number | null>(() => attempts.find((attempt) => attempt.verdict)?.number ?? null);
  const ends = attempts.map((each) => Date.parse(each.started_at) - start + (each.total_ms ?? 0));
  const span = Math.max(1, total ?? 0, ...ends);
  const share = (length: number) => `${Math.max(0, Math.min(100, (100 * length) / span))}%`;
  return (
    <div class="fall">
      <div class="axis"><span /><span><span>0</span><span>{ms(span / 2)}</span><span>{ms(span)}</span></span><span /><span /></div>
      {attempts.map((attempt) => {
        const from = Date.parse(attempt.started_at) - start;
        return (
          <>
            <button class="lane" aria-expanded={open === attempt.number} onClick={() => setOpen(open === attempt.number ? null : attempt.number)}>
              <span class="cut"><span class="faint">{attempt.number}</span> {attempt.target}</span>
              <span class="track">
                {attempt.waited_ms > 0 && <span class="bar wait" style={{ left: share(from - attempt.waited_ms), width: share(attempt.waited_ms) }} />}
                <span class={`bar ${tone(attempt)}`} style={{ left: share(from), width: share(attempt.total_ms ?? span - from) }} />
                {attempt.first_token_ms !== null && <span class="bar before" title={`first token after ${ms(attempt.first_token_ms)}`} style={{ left: share(from), width: share(attempt.first_token_ms) }} />}
              </span>
              <span class="right soft nowrap">{ms(attempt.total_ms)}</span>
              <span class="what cut">{attempt.verdict ? <><span class="bad">{kind(attempt.verdict).replaceAll("_", " ")}</span>{attempt.decision && <span class="soft"> → {attempt.decision.replaceAll("_", " ")}</span>}</> : <span class="soft">{attempt.first_token_ms !== null ? `first token ${ms(attempt.first_token_ms)}, ` : ""}{bytes(attempt.bytes_received)}</span>}</span>
            </button>
            {open === attempt.number && <AttemptFacts attempt={attempt} />}
          </>
        );
      })}
    </div>
  );
}

function AttemptFacts({ attempt }: { attempt: Attempt }) {
  return (
    <div class="more col">
      <div class="row wrap">
        {attempt.verdict ? <Badge tone="bad">{attempt.verdict}</Badge> : <Badge tone="good">answered</Badge>}
        {attempt.decision && <><span class="faint">→</span><strong>{attempt.decision}</strong></>}
        {attempt.reason && <span class="soft">{line(attempt.reason, 400)}</span>}
      </div>
      <Facts facts={[
        ["Status", attempt.status ?? "–"],
        ["Rule", attempt.rule ? <code>{attempt.rule}</code> : "–"],
        ["Waited before", ms(attempt.waited_ms)],
        ["Headers", ms(attempt.headers_ms)],
        ["First token", ms(attempt.first_token_ms)],
        ["Sent", bytes(attempt.bytes_sent)],
        ["Received", bytes(attempt.bytes_received)],
        ["Cost", usd(attempt.cost_usd)],
      ]} />
      {attempt.failure && <Evidence failure={attempt.failure} />}
      {attempt.verdict && <div><Link class="link" href={`/failures?state=all&find=${encodeURIComponent(kind(attempt.verdict))}`}>Failures of this kind</Link></div>}
    </div>
  );
}

/** Parts of a failure, in words. */
const EVIDENCE: Record<string, string> = { arrived: "Had arrived by then", ending: "The stream ended by", event: "Last event" };

/** What the provider said, in its own words first. */
function Evidence({ failure }: { failure: Record<string, unknown> }) {
  const { body, ...rest } = failure;
  const text = typeof body === "string" ? pretty(body) : body === undefined ? "" : JSON.stringify(body, null, 2);
  const others = Object.entries(rest).filter(([name, value]) => name !== "where" && name !== "status" && value !== null);
  const brief = others.every(([, value]) => typeof value !== "object" && String(value).length < 80);
  return (
    <div class="col">
      {text && <pre class="code" tabIndex={0}>{harmless(text.slice(0, 6000))}</pre>}
      {others.length > 0 && brief && <Facts facts={others.map(([name, value]) => [EVIDENCE[name] ?? `${name[0]!.toUpperCase()}${name.slice(1)}`.replaceAll("_", " "), line(String(value), 80)])} />}
      {others.length > 0 && !brief && <pre class="code" tabIndex={0}>{harmless(JSON.stringify(Object.fromEntries(others), null, 2).slice(0, 6000))}</pre>}
    </div>
  );
}

interface Loaded { body: Body; text: string; whole: boolean }

/** What is kept of a call's bytes, as a conversation or as it came. */
export function Bodies({ id, bodies, attempts, tab }: { id: string; bodies: Body[]; attempts: Attempt[]; tab: string }) {
  const [loaded, setLoaded] = useState<Loaded[] | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const names = bodies.map((body) => `${body.attempt}/${body.part}`).join();
  useEffect(() => {
    const abort = new AbortController();
    Promise.all(bodies.map(async (body) => ({ body, ...(await read(`/api/calls/${encodeURIComponent(id)}/bodies/${body.attempt}/${body.part}`, MOST, abort.signal)) })))
      .then(setLoaded, (thrown: unknown) => !abort.signal.aborted && setError(ApiError.of(thrown)));
    return () => abort.abort();
  }, [id, names]);
  if (bodies.length === 0) return <p class="soft">Mainstay keeps no request or answer of this call. Recording is off (<code>recording.bodies</code>), the client asked for none (<code>x-mainstay-record: off</code>), or their retention has passed.</p>;
  if (error) return <Problem error={error} />;
  if (!loaded) return null;
  const isRequest = (each: Loaded) => each.body.part.includes("request");
  const requests = loaded.filter(isRequest);
  const answers = loaded.filter((each) => !isRequest(each)).sort((a, b) => a.body.attempt - b.body.attempt);
  if (tab === "request" || tab === "answer") {
    const shown = tab === "request" ? requests : answers;
    return (
      <div class="col gap16">
        {shown.map((each) => (
          <div class="col">
            <h2>{each.body.attempt > 0 ? `Attempt ${each.body.attempt}, ` : ""}{each.body.part} <span class="faint">{bytes(each.body.bytes)}</span></h2>
            <Raw text={each.text} whole={each.whole} />
          </div>
        ))}
        {shown.length === 0 && <p class="soft">None is kept.</p>}
      </div>
    );
  }
  // The client's own answer is whole; what attempts before the last delivered says where its seams are.
  const own = answers.find((each) => each.body.attempt === 0) ?? answers.at(-1);
  const breaks = answers.flatMap((each) => {
    const attempt = attempts.find((one) => one.number === each.body.attempt);
    const next = attempts.find((one) => one.number === each.body.attempt + 1);
    return attempt?.decision === "continue" && next ? [{ arrived: each.text, next: next.target }] : [];
  });
  return <Conversation asked={requests[0]?.text ?? ""} answered={own?.text} breaks={breaks} />;
}

/** Overrides as one types them: each a field of the request; empty ones leave it as it was. */
const OVERRIDES: [string, string, number][] = [["model", "model: as before", 22], ["temperature", "temperature", 11], ["max_tokens", "max_tokens", 11]];

function Replay({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const [set, setSet] = useState<Record<string, string>>({});
  const [more, setMore] = useState("");
  if (!open) return <div class="row"><Link class="btn" href={`/compare?a=${encodeURIComponent(id)}`}>Compare</Link><button class="btn" onClick={() => setOpen(true)}>Replay…</button></div>;
  const replay = async () => {
    const overrides = more.trim() ? object(more) : {};
    for (const [name] of OVERRIDES) {
      const value = set[name]?.trim();
      if (value) overrides[name] = name === "model" ? value : figure(name, value);
    }
    const made = await post<{ call?: string | { id: string }; id?: string }>(`/api/calls/${encodeURIComponent(id)}/replay`, { set: overrides });
    const other = typeof made.call === "object" ? made.call.id : (made.call ?? made.id);
    if (other) go(`/compare?a=${encodeURIComponent(id)}&b=${encodeURIComponent(other)}`);
  };
  return (
    <form class="replay col" onSubmit={(event) => event.preventDefault()}>
      <div class="row wrap">
        {OVERRIDES.map(([name, hint, width]) => <input aria-label={`Another ${name}`} placeholder={hint} value={set[name] ?? ""} onInput={(event) => setSet({ ...set, [name]: event.currentTarget.value })} size={width} />)}
        <Act tone="first" done="Asked again." act={replay}>Replay and compare</Act>
        <button class="btn" onClick={() => setOpen(false)}>Not now</button>
      </div>
      <textarea rows={2} aria-label="Other fields of the request, as JSON" placeholder={'Other fields of the request as JSON: {"seed": 7, "messages": […]}'} value={more} onInput={(event) => setMore(event.currentTarget.value)} />
    </form>
  );
}

function object(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw new Error(`The other fields are not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Error('The other fields are a JSON object, such as {"seed": 7}.');
  return value as Record<string, unknown>;
}
