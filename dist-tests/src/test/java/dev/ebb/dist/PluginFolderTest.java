package dev.ebb.dist;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test with a plugin folder of its own, which is empty at first. */
abstract class PluginFolderTest {

  @TempDir Path directory;
  Path plugins;
  Ebb ebb;

  @BeforeEach
  void makeFolder() throws IOException {
    plugins = DropFolder.in(directory);
    ebb = new Ebb(directory).withPlugins(plugins);
  }
}
