package dev.ebb.server.cli;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.OptionalJars;
import dev.ebb.server.completion.EngineBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The libraries that compute models. */
final class Backends {

  static final String JLAMA = "jlama";
  private static final List<String> NAMES = List.of("llama", JLAMA);

  private Backends() {}

  /**
   * Returns the library for a model.
   *
   * @param name its name; null for the one that opens such a model
   * @throws UserError if there is no such library, or it is not installed
   */
  static EngineBackend choose(@Nullable String name, Path model) {
    if (name != null && !NAMES.contains(name)) {
      throw new UserError("--backend: '%s' must be one of %s".formatted(name, NAMES));
    }
    String missing = name == null && Files.isDirectory(model) ? JLAMA : name;
    for (EngineBackend backend :
        ServiceLoader.load(
            EngineBackend.class,
            OptionalJars.loader(JLAMA, EngineBackend.class.getClassLoader()))) {
      if (name == null ? backend.opens(model) : backend.name().equals(name)) {
        return backend;
      }
    }
    if (!JLAMA.equals(missing)) {
      throw new UserError("'%s' is not a GGUF file, or a model folder".formatted(model));
    }
    throw new UserError(
        Files.isDirectory(OptionalJars.folder(JLAMA))
            ? "'%s' is not a model folder; it needs config.json, tokenizer.json and model.safetensors"
                .formatted(model)
            : "'%s' needs the libraries of Jlama, but '%s' is not a folder with JARs; unpack the release again"
                .formatted(model, OptionalJars.folder(JLAMA)));
  }
}
