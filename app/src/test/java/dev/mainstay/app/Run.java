package dev.mainstay.app;

import java.io.StringWriter;

/**
 * A command carried out in this process.
 *
 * @param code its exit code
 * @param out what it printed
 * @param err what it complained of
 */
record Run(int code, String out, String err) {
  static Run of(String... arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    int code = Commands.commandLine(out, err, arguments).execute(arguments);
    return new Run(code, out.toString(), err.toString());
  }
}
