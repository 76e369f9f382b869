package dev.mainstay.gateway.admin;

import dev.mainstay.config.Recording;
import dev.mainstay.http.Role;
import dev.mainstay.http.Routes.Caller;
import java.util.function.Supplier;

/** Who may search recorded bodies: roles that may see them, while the configuration has it on. */
record TextAccess(Supplier<Recording> recording) {

  boolean allowed(Caller caller) {
    return recording.get().search() && caller.role().includes(Role.OPERATOR);
  }

  /** The same as the API says it. */
  String said(Caller caller) {
    if (!recording.get().search()) {
      return "off";
    }
    return allowed(caller) ? "searched" : "forbidden";
  }
}
