package dev.ebb.host.cli.server;

import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.group.ObjectGroups;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * The {@code config.json} of a model, as far as it tells the kinds of its layers. Layers of one
 * kind are an object group; groups are numbered by their first layers, as vLLM and LMCache do.
 */
final class ModelFile {

  private static final Set<String> FULL = Set.of("full_attention", "attention", "global_attention");
  private static final Set<String> WINDOW =
      Set.of("sliding_attention", "sliding_window_attention", "local_attention");
  private static final Set<String> STATE =
      Set.of("linear_attention", "mamba", "mamba2", "recurrent", "conv", "gated_delta_net");

  private static final Set<String> NONE = Set.of("mlp", "moe", "dense");

  private static final int MOST_BYTES = 1 << 24;
  private static final int MOST_LAYERS = 1 << 16;

  /** Models whose layers are all recurrent. */
  private static final Set<String> RECURRENT =
      Set.of("mamba", "mamba2", "falcon_mamba", "rwkv", "rwkv7", "xlstm");

  /** Every so many layers of these, one is of full attention; the files do not always say it. */
  private static final Map<String, Integer> PATTERNS =
      Map.of("gemma2", 2, "gemma3", 6, "gemma3_text", 6, "cohere2", 4);

  private final Path file;
  private final JsonNode root;

  /** The part about the language model. */
  private final JsonNode text;

  private ModelFile(Path file, JsonNode root) {
    this.file = file;
    this.root = root;
    text = root.has("text_config") ? root.get("text_config") : root;
  }

  /**
   * Reads a file, or the {@code config.json} in a folder.
   *
   * @throws UserError if it cannot be read
   */
  static ModelFile read(Path given) {
    Path file = Files.isDirectory(given) ? given.resolve("config.json") : given;
    try {
      if (Files.exists(file) && (!Files.isRegularFile(file) || Files.size(file) > MOST_BYTES)) {
        throw new UserError("'%s' is no config.json of a model".formatted(file));
      }
      JsonNode root = new ObjectMapper().readTree(Files.readAllBytes(file));
      if (!root.isObject()) {
        throw new UserError("'%s' is no config.json of a model".formatted(file));
      }
      return new ModelFile(file, root);
    } catch (NoSuchFileException missing) {
      throw new UserError("there is no file '%s'".formatted(file));
    } catch (IOException unreadable) {
      throw new UserError("'%s' cannot be read: %s".formatted(file, Reasons.of(unreadable)));
    } catch (JacksonException wrong) {
      TokenStreamLocation at = wrong.getLocation();
      String place =
          at == null ? "" : ": line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
      throw new UserError("'%s' is not JSON%s".formatted(file, place));
    }
  }

  /** Returns the name that the model was saved under; null if it does not tell. */
  @Nullable String name() {
    String name = root.path("_name_or_path").asString("");
    return name.isBlank() ? null : name;
  }

  /**
   * Returns the object groups.
   *
   * @throws UserError if it has a layer of an unknown kind, or none that needs the whole prompt
   */
  ObjectGroups groups(int chunkTokens) {
    Set<ObjectGroup> groups = new LinkedHashSet<>();
    for (String kind : kinds()) {
      if (FULL.contains(kind)) {
        groups.add(ObjectGroup.FULL);
      } else if (STATE.contains(kind)) {
        groups.add(ObjectGroup.STATE);
      } else if (WINDOW.contains(kind)) {
        groups.add(window(chunkTokens));
      } else if (!NONE.contains(kind)) {
        throw new UserError(
            "'%s': layers of kind '%s' are not known; state the groups with ebb config set ebb.server.models"
                .formatted(file, kind));
      }
    }
    if (!groups.contains(ObjectGroup.FULL)) {
      throw new UserError(
          "'%s': no layer needs the whole prompt, all are '%s'; Ebb needs one that does"
              .formatted(file, groups.isEmpty() ? "none" : new ObjectGroups(List.copyOf(groups))));
    }
    return new ObjectGroups(List.copyOf(groups));
  }

  /** Returns how many chunks hold the tokens before the next one that its window covers. */
  private ObjectGroup window(int chunkTokens) {
    int tokens = number("sliding_window", 0);
    if (tokens < 2) {
      throw new UserError(
          "'%s': 'sliding_window' is '%s'; it must be the tokens of a window, at least 2"
              .formatted(file, text.path("sliding_window").asString("missing")));
    }
    return ObjectGroup.window(Math.ceilDiv(tokens - 1, chunkTokens));
  }

  /** Returns the kind of each layer. */
  private List<String> kinds() {
    for (String field : List.of("layer_types", "layers_block_type")) {
      if (text.hasNonNull(field)) {
        if (!text.get(field).isArray()) {
          throw new UserError(
              "'%s': '%s' must be a list, not '%s'".formatted(file, field, text.get(field)));
        }
        return text.get(field).valueStream().map(each -> each.asString("")).toList();
      }
    }
    if (text.has("hybrid_override_pattern")) {
      return text.get("hybrid_override_pattern")
          .asString("")
          .chars()
          .mapToObj(layer -> layer == 'M' ? "mamba" : layer == '*' ? "attention" : "mlp")
          .toList();
    }
    int layers = number("num_hidden_layers", 0);
    if (layers < 1 || layers > MOST_LAYERS) {
      throw new UserError(
          "'%s': 'num_hidden_layers' is '%s'; it must be 1 to %d"
              .formatted(file, text.path("num_hidden_layers").asString("missing"), MOST_LAYERS));
    }
    List<String> kinds = new ArrayList<>();
    for (int layer = 0; layer < layers; layer++) {
      kinds.add(kind(layer));
    }
    return kinds;
  }

  private String kind(int layer) {
    int interval = number("full_attention_interval", 0);
    String type = text.path("model_type").asString("");
    if (RECURRENT.contains(type)) {
      return "mamba";
    }
    int pattern = number("sliding_window_pattern", PATTERNS.getOrDefault(type, 0));
    int period = number("attn_layer_period", 0);
    if (interval > 0) {
      return (layer + 1) % interval == 0 ? "attention" : "linear_attention";
    }
    if (period > 0) {
      return layer % period == number("attn_layer_offset", 0) ? "attention" : "mamba";
    }
    boolean windowed =
        text.path("sliding_window").isNumber()
            && text.path("use_sliding_window").asBoolean(true)
            && (pattern == 0 || (layer + 1) % pattern != 0);
    return windowed ? "sliding_attention" : "attention";
  }

  private int number(String field, int otherwise) {
    return text.path(field).asInt(otherwise);
  }
}
