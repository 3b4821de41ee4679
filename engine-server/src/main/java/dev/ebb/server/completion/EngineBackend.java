package dev.ebb.server.completion;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import java.nio.file.Path;

/** A library that computes models. Found with {@link java.util.ServiceLoader}. */
public interface EngineBackend {

  /** Returns its name, as users write it. */
  String name();

  /** Returns whether a path looks like a model of this library. */
  boolean opens(Path model);

  /**
   * Opens a model and allocates its memory.
   *
   * @param opened closes them
   * @throws UserError if the model cannot be used, or does not fit
   */
  OpenedModel open(ServerOptions options, Closer opened);
}
