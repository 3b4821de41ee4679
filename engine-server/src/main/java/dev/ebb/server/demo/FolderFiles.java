package dev.ebb.server.demo;

import dev.ebb.host.http.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The files beside the weights in a model folder in the format of Hugging Face.
 *
 * @param special the number of tokens without text, the first ones: unknown, begin and end
 */
record FolderFiles(
    RandomModel.Shape shape, List<String> vocabulary, int special, String chatTemplate) {

  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("token_embd", "model.embed_tokens"),
          Map.entry("output_norm", "model.norm"),
          Map.entry("output", "lm_head"),
          Map.entry("attn_norm", "input_layernorm"),
          Map.entry("attn_q", "self_attn.q_proj"),
          Map.entry("attn_k", "self_attn.k_proj"),
          Map.entry("attn_v", "self_attn.v_proj"),
          Map.entry("attn_output", "self_attn.o_proj"),
          Map.entry("ffn_norm", "post_attention_layernorm"),
          Map.entry("ffn_gate", "mlp.gate_proj"),
          Map.entry("ffn_up", "mlp.up_proj"),
          Map.entry("ffn_down", "mlp.down_proj"));

  /** Returns the name of a tensor of a GGUF file, such as {@code blk.0.attn_q.weight}. */
  static String tensor(String gguf) {
    String[] parts = gguf.split("\\.", -1);
    String name = NAMES.get(parts[parts.length - 2]);
    if (name == null) {
      throw new IllegalArgumentException("tensor '%s' has no name in a folder".formatted(gguf));
    }
    return parts.length == 2
        ? name + ".weight"
        : "model.layers.%s.%s.weight".formatted(parts[1], name);
  }

  String config() {
    Map<String, Object> config = new LinkedHashMap<>();
    config.put("architectures", List.of("LlamaForCausalLM"));
    config.put("model_type", "llama");
    config.put("hidden_act", "silu");
    config.put("hidden_size", shape.width());
    config.put("intermediate_size", shape.inner());
    config.put("max_position_embeddings", shape.context());
    config.put("num_attention_heads", shape.queryHeads());
    config.put("num_hidden_layers", shape.layers());
    config.put("num_key_value_heads", shape.kvHeads());
    config.put("rms_norm_eps", RandomModel.EPSILON);
    config.put("rope_theta", RandomModel.ROTATION_BASE);
    config.put("tie_word_embeddings", false);
    config.put("torch_dtype", "float32");
    config.put("vocab_size", vocabulary.size());
    config.put("bos_token_id", 1);
    config.put("eos_token_id", 2);
    return Json.text(config);
  }

  String tokenizer() {
    Map<String, Integer> ids = new LinkedHashMap<>();
    List<Object> added = new ArrayList<>();
    for (int id = 0; id < vocabulary.size(); id++) {
      ids.put(vocabulary.get(id), id);
      if (id < special) {
        added.add(Map.of("id", id, "content", vocabulary.get(id), "special", true));
      }
    }
    Map<String, Object> spaces =
        Map.of("type", "Replace", "pattern", Map.of("String", " "), "content", "▁");
    return Json.text(
        Map.of(
            "added_tokens",
            added,
            "normalizer",
            Map.of("type", "Sequence", "normalizers", List.of(spaces)),
            "model",
            Map.of(
                "type",
                "BPE",
                "unk_token",
                "<unk>",
                "fuse_unk",
                true,
                "byte_fallback",
                true,
                "vocab",
                ids,
                "merges",
                List.of())));
  }

  String tokenizerConfig() {
    Map<String, Object> config = new LinkedHashMap<>();
    config.put("bos_token", "<s>");
    config.put("eos_token", "</s>");
    if (!chatTemplate.isEmpty()) {
      config.put("chat_template", chatTemplate);
    }
    return Json.text(config);
  }
}
