import { post } from "../api";
import { fullTime } from "../format";
import { useApi } from "../hooks";
import { PAGE, useRows } from "../list";
import { Conversation, Raw } from "../conversation";
import { Text, line } from "../text";
import { Act, Ago, Badge, Copy, Empty, Facts, Link, Panel, Problem, Show, type Tone } from "../ui";
import type { Run, Runs, WholeRun } from "../types";
import { Ask } from "./run-actions";
import { RunBadge, kind } from "./shared";

interface Letter {
  id: string; kind: string; state: string; verdict: string | null; client: string | null; path: string; accepted_at: string; ended_at: string | null; redriven_as: string | null;
  /** Of a run that was given up on: its own id, its agent, and why. */
  run?: string; agent?: string | null; reason?: string | null; failure?: { message?: string | null } | null; input?: string | null;
  request?: string | null; answer?: { status: number; headers: Record<string, string>; body: string } | null;
}

const TONES: Record<string, Tone> = { dead: "bad", redriven: "good", discarded: "" };

export function DeadLettersPage({ id }: { id: string | undefined }) {
  return id ? <One key={id} id={id} /> : <All />;
}

function All() {
  const letters = useRows<Letter>({ asked: `/api/dead-letters?limit=${PAGE}`, field: "dead_letters", id: (letter) => letter.id, every: 8000 });
  const doubt = useApi<Runs>("/api/runs?status=in_doubt&limit=50", 8000);
  const waiting = useApi<Runs>("/api/runs?status=waiting&limit=50", 8000);
  const both = [...(doubt.data?.runs ?? []), ...(waiting.data?.runs ?? [])].filter((run) => run.status === "in_doubt" || run.status === "waiting");
  const runs = both.filter((run, index) => both.findIndex((each) => each.run === run.run) === index);
  return (
    <>
      <div class="head"><h1>Dead letters and in doubt</h1></div>
      <Panel title="Runs that wait for a person">
        {runs.length === 0 ? <p class="soft">None. A run waits here when a step needs approval, or when Mainstay cannot tell whether a step happened.</p> : (
          <div class="col gap16">{runs.map((run) => <Waits key={run.run} run={run} reload={() => { doubt.reload(); waiting.reload(); }} />)}</div>
        )}
      </Panel>
      {letters.error && <Problem error={letters.error} retry={letters.reload} />}
      {letters.loaded && (letters.rows.length > 0 || !letters.error) && (
        <Panel title="Dead letters" flush>
          {letters.rows.length === 0 ? (
            <Empty title="No dead letter" code={`curl ${location.origin}/v1/chat/completions -H 'x-mainstay-keep: on' \\\n  -H 'content-type: application/json' -d '{"model": "assistant", "messages": [{"role": "user", "content": "hello"}]}'`}>Mainstay writes a call that must not be lost to disk before it begins. A failed one stays here with its evidence until a person redrives or discards it.</Empty>
          ) : (
            <div class="in scroll"><table class="plain stacks"><thead><tr><th>Ended</th><th>State</th><th>Verdict</th><th>Call</th><th>Client</th><th><span class="sr">Action</span></th></tr></thead><tbody>
              {letters.rows.map((each) => (
                <tr><td class="nowrap soft"><Ago at={each.ended_at} /></td><td><Badge tone={TONES[each.state] ?? ""}>{each.state}</Badge></td><td class="nowrap">{each.verdict ? kind(each.verdict).replaceAll("_", " ") : "–"}</td><td><Link class="link id" href={`/dead-letters/${encodeURIComponent(each.id)}`}>{each.id}</Link></td><td>{each.client ?? "–"}</td>
                  <td class="num">{each.state === "dead" && <Act tone="small" act={async () => { await post(`/api/dead-letters/${encodeURIComponent(each.id)}/redrive`); letters.reload(); }} done="Sent again.">Redrive</Act>}</td></tr>
              ))}
            </tbody></table>{letters.more && <div class="row"><button class="btn" onClick={letters.more}>Older ones</button></div>}</div>
          )}
        </Panel>
      )}
    </>
  );
}

/** A run that waits, with its questions: they are answered here too. */
function Waits({ run, reload }: { run: Run; reload: () => void }) {
  const whole = useApi<WholeRun>(`/api/runs/${encodeURIComponent(run.run)}`);
  return (
    <div class="col">
      <Link class="row" href={`/runs/${encodeURIComponent(run.run)}`}><RunBadge status={run.status} /><strong>{run.agent}</strong><span class="id cut">{run.run}</span><span class="grow" /><span class="faint nowrap"><Ago at={run.accepted_at} /></span></Link>
      {(whole.data?.waits_for ?? []).map((wait) => <Ask run={run.run} wait={wait} step={undefined} reload={reload} />)}
    </div>
  );
}

function One({ id }: { id: string }) {
  const api = `/api/dead-letters/${encodeURIComponent(id)}`;
  const letter = useApi<Letter>(api);
  return (
    <>
    {!letter.data && letter.error && <div class="head"><Link class="soft" href="/dead-letters">Dead letters</Link><span class="faint">/</span><h1 class="cut">{line(id, 60)}</h1></div>}
    <Show from={letter}>{(data) => (
      <>
        <div class="head">
          <div class="col gap4 grow"><div class="row wrap"><Link class="soft" href="/dead-letters">Dead letters</Link><span class="faint">/</span><h1>{data.verdict ?? data.state}</h1><Badge tone={TONES[data.state] ?? ""}>{data.state}</Badge></div><div class="row"><span class="id cut">{data.id}</span><Copy text={data.id}>Copy id</Copy></div></div>
          {data.state === "dead" && <div class="row">
            <Act tone="first" act={async () => { await post(`${api}/redrive`); letter.reload(); }} done="Sent again.">Redrive</Act>
            <Act tone="danger" ask="Discard for good?" act={async () => { await post(`${api}/discard`); letter.reload(); }} done="Discarded.">Discard</Act>
          </div>}
        </div>
        <Panel><Facts facts={[["Accepted", fullTime(data.accepted_at)], ["Ended", fullTime(data.ended_at)], ["Client", data.client], ...(data.run ? ofRun(data) : ofCall(data)), ...(data.redriven_as ? [["Sent again as", <Link class="link" href={`/${data.run ? "runs" : "calls"}/${encodeURIComponent(data.redriven_as)}`}>{data.redriven_as}</Link>] as Fact] : [])]} /></Panel>
        <Done id={id} state={data.state} />
        {data.run ? <Panel title="What was asked">{data.input ? <Text text={data.input} /> : <p class="soft">Mainstay no longer keeps the input.</p>}</Panel> : <>
          <Panel title="What was asked">{data.request ? <Conversation asked={data.request} /> : <p class="soft">Mainstay no longer keeps the request.</p>}</Panel>
          <Panel title={`What was answered${data.answer ? `, ${data.answer.status}` : ""}`}>{data.answer ? <div class="col"><Text code text={Object.entries(data.answer.headers).map(([name, value]) => `${name}: ${value}`).join("\n")} /><Raw text={data.answer.body} whole /></div> : <p class="soft">No answer is kept.</p>}</Panel>
        </>}
      </>
    )}</Show>
    </>
  );
}

type Fact = [string, preact.ComponentChildren];

const ofCall = (letter: Letter): Fact[] => [["Path", letter.path], ["The call", <Link class="link" href={`/calls/${encodeURIComponent(letter.id)}`}>its attempts</Link>]];

const ofRun = (letter: Letter): Fact[] => [["Agent", letter.agent], ["Why", line(letter.reason ?? "", 300)], ["The provider's words", line(letter.failure?.message ?? "", 300) || null], ["The run", <Link class="link" href={`/runs/${encodeURIComponent(letter.id)}`}>its steps</Link>]];

interface Entry { at: string; who: string; role: string; action: string; from: string }

/** Who sent it again or discarded it, from the audit log; what their role may not see is left out. */
function Done({ id, state }: { id: string; state: string }) {
  const audit = useApi<{ entries: Entry[] }>(state === "dead" ? null : "/api/audit?limit=1000");
  const entries = (audit.data?.entries ?? []).filter((each) => each.action.includes(id));
  if (entries.length === 0) return null;
  return (
    <Panel title="Who did what"><div class="scroll"><table class="plain"><thead><tr><th>When</th><th>Who</th><th>What</th><th>From</th></tr></thead><tbody>
      {entries.map((each) => <tr><td class="nowrap soft"><Ago at={each.at} /></td><td>{line(each.who, 60)} <span class="faint">{each.role}</span></td><td>{each.action.split("/").at(-1)}</td><td class="soft">{each.from}</td></tr>)}
    </tbody></table></div></Panel>
  );
}
