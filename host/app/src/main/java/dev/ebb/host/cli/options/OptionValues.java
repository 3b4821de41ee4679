package dev.ebb.host.cli.options;

import dev.ebb.host.cli.CompletionCommand;
import dev.ebb.host.cli.bench.BenchGroup;
import dev.ebb.host.devkit.project.ProjectBuild;
import dev.ebb.host.devkit.project.ProjectKind;
import dev.ebb.host.devkit.project.ProjectLanguage;
import dev.ebb.host.enginebench.EngineApi;
import dev.ebb.host.http.Json;
import dev.ebb.host.loadgen.traffic.TraceRouting;
import dev.ebb.host.loadgen.traffic.TrafficShape;
import dev.ebb.host.replay.ReplayModel;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses the values of options; a message about a wrong one lists the allowed ones in the user's
 * syntax.
 */
public final class OptionValues {

  private OptionValues() {}

  /** The constants of an enum in the user's syntax, for shell completion. */
  abstract static class Words implements Iterable<String> {

    private final List<String> words;

    Words(Class<? extends Enum<?>> type) {
      words = Arrays.stream(type.getEnumConstants()).map(Json::word).toList();
    }

    @Override
    public final Iterator<String> iterator() {
      return words.iterator();
    }
  }

  /** The values of {@code --model}. */
  public static final class Models extends Words {
    Models() {
      super(ReplayModel.class);
    }
  }

  /** The values of {@code --on-error}. */
  public static final class OnErrors extends Words {
    OnErrors() {
      super(OnError.class);
    }
  }

  /** The values of {@code --route}. */
  public static final class Routings extends Words {
    Routings() {
      super(TraceRouting.class);
    }
  }

  /** The values of {@code --shape}. */
  public static final class TrafficShapes extends Words {
    TrafficShapes() {
      super(TrafficShape.class);
    }
  }

  /** The values of {@code --synthetic}. */
  public static final class Shapes extends Words {
    Shapes() {
      super(SyntheticTrace.Shape.class);
    }
  }

  /** The values of {@code bench --command}. */
  public static final class BenchKinds extends Words {
    BenchKinds() {
      super(BenchGroup.Kind.class);
    }
  }

  /** The values of {@code bench engine --api}. */
  public static final class EngineApis extends Words {
    EngineApis() {
      super(EngineApi.class);
    }
  }

  /** The values of {@code plugins new --kind}. */
  public static final class ProjectKinds extends Words {
    ProjectKinds() {
      super(ProjectKind.class);
    }
  }

  /** The values of {@code plugins new --build}. */
  public static final class ProjectBuilds extends Words {
    ProjectBuilds() {
      super(ProjectBuild.class);
    }
  }

  /** The values of {@code plugins new --language}. */
  public static final class ProjectLanguages extends Words {
    ProjectLanguages() {
      super(ProjectLanguage.class);
    }
  }

  /** The values of {@code completion}. */
  public static final class Shells extends Words {
    Shells() {
      super(CompletionCommand.Shell.class);
    }
  }

  public static CommandLine register(CommandLine command) {
    ITypeConverter<Integer> integer = number(Integer::valueOf, "a whole number up to 2147483647");
    ITypeConverter<Long> whole = number(Long::valueOf, "a whole number");
    ITypeConverter<Double> real = number(Double::valueOf, "a number");
    register(command, ReplayModel.class);
    register(command, OnError.class);
    register(command, SyntheticTrace.Shape.class);
    register(command, TraceRouting.class);
    register(command, TrafficShape.class);
    register(command, BenchGroup.Kind.class);
    register(command, EngineApi.class);
    register(command, CompletionCommand.Shell.class);
    register(command, ProjectKind.class);
    register(command, ProjectBuild.class);
    register(command, ProjectLanguage.class);
    return command
        .registerConverter(KeyText.class, OptionValues::key)
        .registerConverter(int.class, integer)
        .registerConverter(Integer.class, integer)
        .registerConverter(long.class, whole)
        .registerConverter(Long.class, whole)
        .registerConverter(double.class, real)
        .registerConverter(Double.class, real);
  }

  private static <E extends Enum<E>> void register(CommandLine command, Class<E> type) {
    command.registerConverter(
        type,
        text ->
            Arrays.stream(type.getEnumConstants())
                .filter(constant -> Json.word(constant).equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> wrong(text, "one of " + words(type))));
  }

  private static String words(Class<? extends Enum<?>> type) {
    return Arrays.stream(type.getEnumConstants()).map(Json::word).collect(Collectors.joining(", "));
  }

  private static <T> ITypeConverter<T> number(Function<String, T> parse, String allowed) {
    return text -> {
      try {
        return parse.apply(text.replace("_", ""));
      } catch (NumberFormatException notOne) {
        throw wrong(text, allowed);
      }
    };
  }

  /** A port. */
  public static final class Port implements ITypeConverter<Integer> {

    private static final int LARGEST = 65_535;

    @Override
    public Integer convert(String text) {
      try {
        int port = Integer.parseInt(text);
        if (port >= 0 && port <= LARGEST) {
          return port;
        }
      } catch (NumberFormatException notOne) {
        // Reported below, like a port out of range.
      }
      throw wrong(text, "a port, 0 to " + LARGEST);
    }
  }

  private static KeyText key(String text) {
    try {
      return KeyText.parse(text);
    } catch (IllegalArgumentException malformed) {
      throw wrong(text, KeyText.ALLOWED);
    }
  }

  private static TypeConversionException wrong(String text, String allowed) {
    return new TypeConversionException("'%s' is not %s".formatted(text, allowed));
  }
}
