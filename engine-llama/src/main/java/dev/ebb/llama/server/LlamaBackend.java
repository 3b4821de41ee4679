package dev.ebb.llama.server;

import dev.ebb.host.lifecycle.Closer;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.server.completion.EngineBackend;
import dev.ebb.server.completion.OpenedModel;
import dev.ebb.server.completion.ServerOptions;
import java.nio.file.Files;
import java.nio.file.Path;

/** llama.cpp, for GGUF files. */
public final class LlamaBackend implements EngineBackend {

  @Override
  public String name() {
    return "llama";
  }

  @Override
  public boolean opens(Path model) {
    return !Files.isDirectory(model);
  }

  @Override
  public OpenedModel open(ServerOptions options, Closer opened) {
    LlamaModel model = opened.add(LlamaModel.openAny(options.model()));
    return ServerMemory.open(model, options, opened);
  }
}
