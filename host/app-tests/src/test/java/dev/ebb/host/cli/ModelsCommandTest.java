package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.commands.ProtocolCommand;

/** Tests {@code ebb models}: object groups that are stated by a file, or by a client. */
class ModelsCommandTest {

  private static final String QWEN =
      """
      {"_name_or_path": "Qwen/Qwen3.5-9B",
       "text_config": {"num_hidden_layers": 8, "full_attention_interval": 4}}
      """;

  @TempDir private Path home;

  private Path file(String name, String json) throws IOException {
    return Files.writeString(home.resolve(name), json);
  }

  @Test
  void theGroupsOfAFileAreThoseOfTheModelFromThenOn() throws IOException {
    Path qwen = file("config.json", QWEN);
    try (RunningEbb ebb = RunningEbb.start(home)) {
      assertThat(ebb.run("models", "list").out()).isEqualTo("no key has named a model yet\n");
      ebb.put("Qwen/Qwen3.5-9B@01000100@0@00000001", 100);
      assertThat(ebb.run("models", "list").out())
          .containsPattern("Qwen/Qwen3.5-9B +full +default +1");

      assertThat(ebb.run("models", "add", qwen.toString(), "--dry-run").out())
          .contains("not changed: this was a dry run");
      assertThat(ebb.run("models", "add", home.toString()).out())
          .contains("ebb.server.models.\"Qwen/Qwen3.5-9B\".groups: '' -> 'state,full'");
      assertThat(ebb.run("models", "list").out())
          .containsPattern("Qwen/Qwen3.5-9B +state,full +configured +1");

      ebb.run("config", "unset", "ebb.server.models");
      assertThat(ebb.run("models", "list").out())
          .containsPattern("Qwen/Qwen3.5-9B +full +default +1");
    }
  }

  @Test
  void aClientStatesTheGroupsOfAModel() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      ProtocolCommand request = () -> "EBB.REQUEST".getBytes(StandardCharsets.UTF_8);
      for (int chunk = 1; chunk <= 4; chunk++) {
        ebb.put("m@01000100@0@0000000" + chunk, 100);
      }
      ebb.put("m@01000100@1@00000002", 100);
      String[] begin =
          "BEGIN r GROUPS full,state KEYS m@01000100@0@00000001 m@01000100@0@00000002 m@01000100@0@00000003 m@01000100@0@00000004"
              .split(" ");

      assertThat(ebb.jedis().sendCommand(request, begin)).as("up to the state").isEqualTo(2L);
      assertThat(ebb.run("models", "list").out()).containsPattern("m +full,state +stated +5");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'layer_types': ['sliding_attention', 'full_attention'], 'sliding_window': 128} |"
            + " window=8,full",
        "{'layer_types': ['full_attention', 'sliding_attention'], 'sliding_window': 129} |"
            + " full,window=8",
        "{'layer_types': ['full_attention', 'sliding_attention'], 'sliding_window': 130} |"
            + " full,window=9",
        "{'num_hidden_layers': 12, 'sliding_window_pattern': 6, 'sliding_window': 17} |"
            + " window=1,full",
        "{'num_hidden_layers': 8, 'attn_layer_period': 8, 'attn_layer_offset': 4} | state,full",
        "{'hybrid_override_pattern': 'M-M*-E'} | state,full",
        "{'layers_block_type': ['attention', 'mamba', 'moe']} | full,state",
        "{'num_hidden_layers': 4} | full",
        "{'num_hidden_layers': 4, 'model_type': 'gemma2', 'sliding_window': 33} | window=2,full",
        "{'num_hidden_layers': 4, 'sliding_window': 99, 'use_sliding_window': false} | full"
      })
  void kindsOfLayersAreGroups(String json, String groups) throws IOException {
    Path model = file("model.json", json.replace('\'', '"'));
    try (RunningEbb ebb = RunningEbb.start(home)) {
      assertThat(ebb.run("models", "add", model.toString(), "--name", "x", "--chunk", "16").out())
          .contains("ebb.server.models.x.groups: '' -> '%s'".formatted(groups));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'layer_types': ['foo']} | layers of kind 'foo' are not known",
        "{'layer_types': ['mamba']} | no layer needs the whole prompt",
        "{'layer_types': ['sliding_attention']} | 'sliding_window' is 'missing'",
        "{'layer_types': 'full_attention'} | 'layer_types' must be a list",
        "{'num_hidden_layers': 2, 'model_type': 'mamba'} | all are 'state'",
        "{} | 'num_hidden_layers' is 'missing'",
        "{'num_hidden_layers': -3} | 'num_hidden_layers' is '-3'",
        "{'layer_types': | is not JSON: line 1, column",
        "[1] | is no config.json of a model"
      })
  void aFileThatDoesNotTellIsRefused(String json, String message) throws IOException {
    Path model = file("model.json", json.replace('\'', '"'));
    try (RunningEbb ebb = RunningEbb.start(home)) {
      Run run = ebb.run("models", "add", model.toString(), "--name", "x");

      assertThat(run.exitCode()).isNotZero();
      assertThat(run.err()).contains(message).doesNotContain("\tat ");
      Path deep = Files.writeString(home.resolve("deep.json"), "[".repeat(100_000));
      assertThat(ebb.run("models", "add", deep.toString(), "--name", "x").err())
          .contains("is not JSON")
          .doesNotContain("\tat ");
      assertThat(ebb.run("models", "add", "/dev/zero", "--name", "x").err())
          .contains("is no config.json of a model");
      assertThat(ebb.run("models", "add", home.resolve("none").toString()).err())
          .contains("there is no file");
    }
  }
}
