import { useState } from "preact/hooks";
import { ApiError, signIn } from "../api";
import { go, useAddress } from "../hooks";

export function LoginPage() {
  const { query } = useAddress();
  const [name, setName] = useState("");
  const [secret, setSecret] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  // Only a path of this origin: an address of another site is not gone to.
  const asked = query.get("back") ?? "/";
  const back = /^\/(?![/\\])/.test(asked) ? asked : "/";
  const submit = async () => {
    setBusy(true);
    try {
      await signIn(name ? { name, password: secret } : { token: secret });
      go(back, true);
    } catch (thrown) {
      const failed = thrown as ApiError;
      setError(failed.status === 404 || failed.status === 409 ? "This gateway has no sign-in; programs on its own machine have access." : failed.message);
      setSecret("");
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="login">
      <form class="panel" onSubmit={(event) => { event.preventDefault(); void submit(); }}>
        <div class="col gap4"><h1>Sign in to Mainstay</h1><p class="soft">Use the admin token or an account of this gateway.</p></div>
        <label class="field">Name, empty for the admin token<input autocomplete="username" value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
        <label class="field">{name ? "Password" : "Admin token"}<input type="password" autocomplete="current-password" required value={secret} onInput={(event) => setSecret(event.currentTarget.value)} /></label>
        {error && <p class="bad" role="alert">{error}</p>}
        <button class="btn first" disabled={busy || !secret}>Sign in</button>
      </form>
    </main>
  );
}
