import { useMemo } from "preact/hooks";
import { useApi, useParameter } from "../hooks";
import { line } from "../text";
import type { Who } from "../api";
import { Ago, Badge, Empty, Facts, Newest, Show, Tabs } from "../ui";
import { Prices } from "./prices";
import { Retention } from "./retention";

type Json = Record<string, unknown>;

interface Row { path: string; value: string; source: string }

/** Values that say nothing, in words. */
const NOTHING: Record<string, string> = { null: "not set", "": "not set", "[]": "none", "{}": "none" };

/** Every value under its path, as one table. */
function rows(value: unknown, sources: Record<string, unknown>, path = "", inherited = ""): Row[] {
  const source = String(sources[path] ?? inherited);
  if (value && typeof value === "object" && Object.keys(value).length > 0) {
    return Object.entries(value as Json).flatMap(([name, inner]) => rows(inner, sources, path ? `${path}.${name}` : name, source));
  }
  return [{ path, value: typeof value === "string" ? value : JSON.stringify(value), source }];
}

export function SettingsPage() {
  const [tab, setTab] = useParameter("tab", "config");
  return (
    <>
      <div class="head"><h1>Settings</h1></div>
      <section class="panel"><div class="in col gap16">
        <Tabs tabs={[["config", "Configuration"], ["prices", "Prices"], ["retention", "Retention"], ["access", "Access"], ["audit", "Audit log"]]} at={tab} pick={setTab} />
        {tab === "config" && <Config />}
        {tab === "prices" && <Prices />}
        {tab === "retention" && <Retention />}
        {tab === "access" && <Access />}
        {tab === "audit" && <Audit />}
      </div></section>
    </>
  );
}

function Config() {
  const config = useApi<Json>("/api/config");
  const [filter, setFilter] = useParameter("find");
  return <Show from={config}>{(data) => <ConfigTable data={data} filter={filter} setFilter={setFilter} />}</Show>;
}

function ConfigTable({ data, filter, setFilter }: { data: Json; filter: string; setFilter: (text: string) => void }) {
  const all = useMemo(() => {
    const { sources, notices: _, ...settings } = data;
    return rows(settings, (sources ?? {}) as Record<string, unknown>);
  }, [data]);
  const notices = Array.isArray(data.notices) ? data.notices.map(String) : [];
  const words = filter.toLowerCase();
  const [own, setOwn] = useParameter("set");
  const shown = all.filter((row) => (own !== "1" || (row.source !== "default" && row.source !== "")) && `${row.path} ${row.value} ${row.source}`.toLowerCase().includes(words));
  return (
    <div class="col">
      {notices.map((each) => <div class="row"><Badge tone="warn">notice</Badge>{line(each, 400)}</div>)}
      <div class="row wrap"><input class="grow" type="search" aria-label="Find a setting" placeholder={`Find among ${all.length} settings`} value={filter} onInput={(event) => setFilter(event.currentTarget.value)} /><button class="btn" aria-pressed={own === "1"} onClick={() => setOwn(own === "1" ? "" : "1")}>Only what was set</button></div>
      {shown.length === 0 && <p class="soft">{words ? <>No setting has <code>{line(filter, 80)}</code> in its name, value or source.</> : "Nothing was set: every value is a default."}</p>}
      <div class="scroll"><table class="plain stacks settings"><thead><tr><th>Setting</th><th>Value</th><th>From</th></tr></thead><tbody>{shown.map((row) => <tr><td class="free"><code>{row.path}</code></td><td>{NOTHING[row.value] ? <span class="faint">{NOTHING[row.value]}</span> : <code>{line(row.value, 300)}</code>}</td><td class="soft nowrap" title={row.source}>{row.source.split(/[\\/]/).at(-1)}</td></tr>)}</tbody></table></div>
    </div>
  );
}

interface Admin { admin?: { token?: string; accounts?: { name?: string; role?: string }[] }; sources?: Record<string, unknown> }

/** Who may look and change, by the configuration in force. */
function Access() {
  const config = useApi<Admin>("/api/config");
  const who = useApi<Who>("/api/session");
  const code = 'admin:\n  token: "${MAINSTAY_ADMIN_TOKEN}"\n  accounts:\n    - { name: ada, role: operator, password-hash: "pbkdf2-sha256:…" }   # ./mainstay config password';
  return (
    <Show from={config}>{({ admin = {} }) => {
      const accounts = Array.isArray(admin.accounts) ? admin.accounts : [];
      return (
        <div class="col gap16">
          <Facts facts={[
            ["You are", who.data ? `${line(who.data.name, 60)}, ${who.data.role}` : "–"],
            ["Signed in by", who.data ? (who.data.by === "loopback" ? "being on this machine" : who.data.by) : "–"],
            ["Prompts and answers", who.data ? (who.data.sees_bodies ? "shown to you" : "not shown to your role") : "–"],
            ["Admin token", admin.token ? "set" : "not set"],
          ]} />
          {accounts.length > 0 && <table class="plain thin"><thead><tr><th>Account</th><th>Role</th></tr></thead><tbody>{accounts.map((each) => <tr><td>{line(each.name ?? "–", 80)}</td><td class="soft">{each.role ?? "–"}</td></tr>)}</tbody></table>}
          {accounts.length === 0 && <Empty title="No accounts" code={code}>On the loopback you need no token. On any other address, sign in with the admin token or an account: viewers see figures, operators also see prompts and act, admins also read the audit log.</Empty>}
        </div>
      );
    }}</Show>
  );
}

interface Done { at: string; who: string; role: string; action: string; from: string; [other: string]: unknown }

function Audit() {
  const loaded = useApi<{ entries: Done[]; next: string | null }>("/api/audit?limit=1000");
  return <Show from={loaded}>{(data) => data.entries.length === 0 ? <Empty title="Nothing was changed yet" code={`curl ${location.origin}/api/audit`}>The audit log records each approval, redrive, reset and account change with its author.</Empty> : (
    <><table class="plain stacks"><thead><tr><th>When</th><th>Who</th><th>What</th><th>From</th></tr></thead><tbody>
      {data.entries.map((each) => <tr><td class="nowrap soft"><Ago at={each.at} /></td><td>{line(each.who, 60)} <span class="faint">{each.role}</span></td><td class="free"><code>{line(each.action, 160)}</code></td><td class="soft">{each.from}</td></tr>)}
    </tbody></table><Newest of={data.entries} next={data.next} /></>
  )}</Show>;
}
