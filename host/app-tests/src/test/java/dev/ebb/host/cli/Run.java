package dev.ebb.host.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** One run of the command line, in this process. */
record Run(int exitCode, String out, String err) {

  static Run of(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = EbbMain.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
    return new Run(exitCode, out.toString(), err.toString());
  }
}
