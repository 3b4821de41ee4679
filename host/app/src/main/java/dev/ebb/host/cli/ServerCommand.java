package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that sends requests to a running Ebb. */
abstract class ServerCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private ServerOption server;
  @Mixin private JsonOption json;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  ServerCommand() {}

  final AdminClient open() {
    return server.open();
  }

  final ServerOption server() {
    return server;
  }

  final boolean wantsJson() {
    return json.wanted();
  }

  final void print(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(text);
    out.flush();
  }

  final void print(List<String> lines) {
    PrintWriter out = spec.commandLine().getOut();
    lines.forEach(out::println);
    out.flush();
  }

  final ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
