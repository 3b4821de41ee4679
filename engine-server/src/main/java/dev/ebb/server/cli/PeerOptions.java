package dev.ebb.server.cli;

import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.openai.OpenAiJson;
import dev.ebb.server.peer.PeerClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of a command that sends a request to an engine, and the output of its answer. */
final class PeerOptions {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Mixin private ConfigOption config;
  @Mixin private JsonOption json;

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:8000",
      description =
          "The engine; it gets ebb.engine.peer-key of the configuration. By default"
              + " http://127.0.0.1:8000")
  private URI url;

  /** A request to an engine. */
  interface Call<T> {
    T to(PeerClient client, URI engine) throws IOException;
  }

  /** Sends a request and prints the answer; returns the exit code. */
  <T> int show(Call<T> call, Function<T, List<String>> lines) {
    try (PeerClient client = new PeerClient(config.load(List.of()).orThrow().engine().peerKey())) {
      T answer = call.to(client, url);
      PrintWriter out = spec.commandLine().getOut();
      (json.wanted() ? List.of(OpenAiJson.text(answer)) : lines.apply(answer))
          .forEach(out::println);
      out.flush();
      return 0;
    } catch (PeerClient.RefusedException refused) {
      throw new UserError(String.valueOf(refused.getMessage()));
    } catch (IOException failed) {
      throw new UserError(
          "no answer from the engine at '%s': %s; name its address with --url"
              .formatted(url, failed.getMessage()));
    }
  }
}
