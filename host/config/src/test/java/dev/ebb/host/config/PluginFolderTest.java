package dev.ebb.host.config;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test with an empty plugin folder. */
public abstract class PluginFolderTest {

  @TempDir protected Path home;
  protected Path folder;

  @BeforeEach
  void makeFolder() {
    folder = Configs.plugins(home);
  }
}
