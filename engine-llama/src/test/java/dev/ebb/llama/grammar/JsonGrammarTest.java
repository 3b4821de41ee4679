package dev.ebb.llama.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.llama.binding.ContextOptions;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.binding.Sampler;
import dev.ebb.llama.testing.Engine;
import dev.ebb.server.demo.RandomModel;
import dev.ebb.server.grammar.JsonGrammar;
import dev.ebb.server.model.SamplerOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Answers of a model with random weights, which only its grammar makes JSON. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JsonGrammarTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final int MOST_TOKENS = 900;

  private LlamaModel model;

  @BeforeAll
  void open(@TempDir Path folder) throws IOException {
    Engine.assumeRuns();
    Path file = folder.resolve("random.gguf");
    new RandomModel("random", new RandomModel.Shape(2, 4, 2, 16, 128, 1_024))
        .writingLetters()
        .write(file, (name, weights) -> {});
    model = LlamaModel.open(file);
  }

  @AfterAll
  void close() {
    if (model != null) {
      model.close();
    }
  }

  private JsonNode answer(String grammar, int seed) {
    SamplerOptions options = SamplerOptions.random(1, 0, 1, seed).withGrammar(grammar);
    int[] prompt = model.tokenize("the cat", false);
    try (LlamaContext context = new LlamaContext(model, new ContextOptions(1_024, 64, 1, 1, null));
        Sampler sampler = Sampler.open(model, options, prompt, MOST_TOKENS)) {
      context.decode(0, prompt, 0);
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      for (int i = 0; i < MOST_TOKENS; i++) {
        int token = sampler.next(context);
        if (model.endsGeneration(token)) {
          return JSON.readTree(text.toString(StandardCharsets.UTF_8));
        }
        text.writeBytes(model.piece(token));
        context.decode(0, new int[] {token}, prompt.length + i);
      }
      throw new AssertionError("no end: " + text.toString(StandardCharsets.UTF_8));
    }
  }

  private static JsonNode schema(String text) {
    return JSON.readTree(text);
  }

  @Test
  void anObjectIsAnswered() {
    for (int seed = 0; seed < 5; seed++) {
      assertThat(answer(JsonGrammar.object(), seed).isObject()).isTrue();
    }
  }

  @Test
  void theSchemaIsKept() {
    String grammar =
        JsonGrammar.of(
            schema(
                """
                {"type": "object", "required": ["age", "kind"], "additionalProperties": false,
                 "properties": {
                   "name": {"type": "string", "minLength": 2, "maxLength": 5},
                   "age": {"type": "integer"},
                   "kind": {"enum": ["a \\"b\\"", 7, null]},
                   "ok": {"type": ["boolean", "null"]},
                   "tags": {"type": "array", "items": {"const": "x"}, "minItems": 1, "maxItems": 3},
                   "next": {"$ref": "#/$defs/node"}},
                 "$defs": {"node": {"type": "object", "required": ["leaf"],
                   "properties": {"leaf": {"type": "boolean"}, "more": {"$ref": "#/$defs/node"}}}}}
                """));
    for (int seed = 0; seed < 8; seed++) {
      JsonNode answer = answer(grammar, seed);
      assertThat(Set.of("name", "age", "kind", "ok", "tags", "next"))
          .containsAll(answer.propertyNames());
      assertThat(answer.get("age").isIntegralNumber()).isTrue();
      assertThat(answer.get("kind").toString()).isIn("\"a \\\"b\\\"\"", "7", "null");
      if (answer.has("name")) {
        assertThat(answer.get("name").stringValue()).hasSizeBetween(2, 5);
      }
      if (answer.has("tags")) {
        assertThat(answer.get("tags").size()).isBetween(1, 3);
        answer.get("tags").forEach(tag -> assertThat(tag.stringValue()).isEqualTo("x"));
      }
      if (answer.has("next")) {
        assertThat(answer.get("next").get("leaf").isBoolean()).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"root ::= (", "root ::= gone", "root ::= a | \"x\"; a ::= root"})
  void llamaCppRefusesAGrammar(String grammar) {
    try (Sampler sampler = Sampler.greedy()) {
      sampler.constrain(model, JsonGrammar.object());
      assertThatThrownBy(() -> sampler.constrain(model, grammar.replace("; ", "\n")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("llama.cpp");
    }
  }

  @Test
  void aSchemaThatTakesMuchMemoryIsRefused() {
    String texts = "{\"type\": \"string\", \"maxLength\": 1000},".repeat(100);
    String values = "1,".repeat(1_100);
    for (String schema :
        List.of("{\"anyOf\": [%s{}]}".formatted(texts), "{\"enum\": [%s2]}".formatted(values))) {
      assertThatThrownBy(() -> JsonGrammar.of(schema(schema)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("too large");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "7 | not a schema",
        "{\"type\": \"text\"} | type 'text'",
        "{\"not\": {}} | 'not' is not supported",
        "{\"$ref\": \"#/$defs/gone\"} | #/$defs/gone",
        "{\"$ref\": \"#\"} | refers only to itself",
        "{\"type\": \"string\", \"maxLength\": 5000} | from 0 to 1000",
        "{\"type\": \"array\", \"minItems\": 3, \"maxItems\": 2} | 'maxItems' is below 'minItems'",
        "{\"enum\": []} | at least one alternative"
      })
  void aSchemaThatCannotBeKeptIsRefused(String schema, String message) {
    assertThatThrownBy(() -> JsonGrammar.of(schema(schema)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
