package dev.ebb.host.config.hocon;

import static java.util.Objects.requireNonNull;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.errors.UserError;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reports an included file that does not exist; the library would ignore it. For one parse. */
final class RequiredIncludes implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL {

  private final @Nullable ConfigIncluder library;

  /** The files that are being parsed, the innermost first. */
  private final Deque<Path> files;

  RequiredIncludes(Path file) {
    this(null, new ArrayDeque<>(List.of(file)));
  }

  private RequiredIncludes(@Nullable ConfigIncluder library, Deque<Path> files) {
    this.library = library;
    this.files = files;
  }

  @Override
  public ConfigIncluder withFallback(ConfigIncluder fallback) {
    return new RequiredIncludes(fallback, files);
  }

  @Override
  public ConfigObject include(ConfigIncludeContext context, String what) {
    return required(context, what, strict -> of(ConfigIncluder.class).include(strict, what));
  }

  @Override
  public ConfigObject includeFile(ConfigIncludeContext context, File what) {
    return required(
        context, what.getPath(), strict -> of(ConfigIncluderFile.class).includeFile(strict, what));
  }

  @Override
  public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
    return required(
        context, what.toString(), strict -> of(ConfigIncluderURL.class).includeURL(strict, what));
  }

  private <T> T of(Class<T> kind) {
    return kind.cast(requireNonNull(library));
  }

  private ConfigObject required(
      ConfigIncludeContext context,
      String what,
      Function<ConfigIncludeContext, ConfigObject> include) {
    Path including = files.element();
    Path included = including.resolveSibling(what);
    if (Files.exists(included)) {
      ConfigLoader.checkPermissions(included);
      HoconFile.checkEncoding(included);
    }
    files.push(included);
    try {
      return include.apply(context.setParseOptions(context.parseOptions().setAllowMissing(false)));
    } catch (ConfigException.IO missing) {
      throw new UserError(
          "%s: it includes '%s', which does not exist or cannot be read; create it, or remove the include"
              .formatted(place(including, what), what));
    } finally {
      files.pop();
    }
  }

  /** Returns the file and the line of an include, because the library does not report them. */
  private static String place(Path file, String what) {
    String shown = Origins.shortened(file.toString());
    try {
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).matches("\\s*[^#]*include\\b.*")
            && lines.get(i).contains('"' + what + '"')) {
          return shown + ":" + (i + 1);
        }
      }
    } catch (IOException unreadable) {
      // The file was named without its extension.
    }
    return shown;
  }
}
