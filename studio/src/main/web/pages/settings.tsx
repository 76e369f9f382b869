import { useMemo } from "preact/hooks";
import { useApi, useParameter } from "../hooks";
import { line } from "../text";
import { Badge, Empty, Show, Tabs } from "../ui";
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

function Listing({ path, field, empty, code, words }: { path: string; field: string; empty: string; code: string; words: string }) {
  const loaded = useApi<Json>(path);
  if (loaded.error?.status === 404) return <Empty title={empty} code={code}>{words}</Empty>;
  return <Show from={loaded}>{(data) => {
    const list = (Array.isArray(data[field]) ? data[field] : (Object.values(data).find(Array.isArray) ?? [])) as Json[];
    if (list.length === 0) return <Empty title={empty} code={code}>{words}</Empty>;
    const columns = Object.keys(list[0] ?? {});
    return <div class="scroll"><table class="plain stacks"><thead><tr>{columns.map((name) => <th>{name.replaceAll("_", " ")}</th>)}</tr></thead><tbody>{list.slice(0, 1000).map((row) => <tr>{columns.map((name) => <td>{line(typeof row[name] === "object" && row[name] !== null ? JSON.stringify(row[name]) : String(row[name] ?? "–"), 160)}</td>)}</tr>)}</tbody></table></div>;
  }}</Show>;
}

function Access() {
  return <Listing path="/api/accounts" field="accounts" empty="No accounts" words="On the loopback you need no token. On any other address, sign in with the admin token or an account." code={'admin:\n  token: "${MAINSTAY_ADMIN_TOKEN}"'} />;
}

function Audit() {
  return <Listing path="/api/audit" field="entries" empty="Nothing was changed yet" words="The audit log records each approval, redrive, reset and account change with its author." code={`curl ${location.origin}/api/audit`} />;
}
