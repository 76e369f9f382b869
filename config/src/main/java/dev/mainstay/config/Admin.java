package dev.mainstay.config;

import dev.mainstay.core.settings.Setting;
import dev.mainstay.http.Role;
import java.util.List;

/** Who may administer. */
public record Admin(
    @Setting(
            value =
                "The token for `/api` and the studio, sent as `Authorization: Bearer …`. Without"
                    + " token and accounts, only programs on this machine have access.",
            byDefault = "",
            type = SecretTypes.HeaderSecret.class)
        Secret token,
    @Setting("People who sign in with a name and a password.") List<Account> accounts) {

  /** Whether somebody has to show who they are. */
  public boolean isGuarded() {
    return !token.isEmpty() || !accounts.isEmpty();
  }

  /** A person who signs in with a name and a password. */
  public record Account(
      @Setting(value = "The account's unique name, which the audit log shows.", required = true)
          String name,
      @Setting(
              value = "The hash of the password, from `./mainstay config password`.",
              type = SecretTypes.Password.class,
              required = true)
          PasswordHash passwordHash,
      @Setting(
              value =
                  "`viewer` sees everything except prompts and answers. `operator` also sees those,"
                      + " and acts on calls and runs. `admin` may do everything.",
              byDefault = "viewer")
          Role role) {}
}
