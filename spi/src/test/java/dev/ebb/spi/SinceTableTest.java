package dev.ebb.spi;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * {@code since.txt} lists the types and members that are newer than 1.0.0, as their Javadoc says.
 * With {@code -Debb.reference.write=true} it is written.
 */
class SinceTableTest {

  private static final Path TABLE = Path.of("src/main/resources/dev/ebb/spi/since.txt");
  private static final Pattern SINCE = Pattern.compile("@since (\\d+\\.\\d+\\.\\d+)");

  @Test
  void listsWhatIsNewerThanTheFirstVersion() throws IOException {
    String table = String.join("\n", lines()) + "\n";
    if (Boolean.getBoolean("ebb.reference.write")) {
      Files.writeString(TABLE, table);
    }

    assertThat(Files.readString(TABLE)).isEqualTo(table);
    assertThat(table)
        .contains("dev/ebb/spi/SampledBlockPolicy$Node 1.6.0\n")
        .contains("dev/ebb/spi/BlockPolicy.lookupMissed 1.5.0\n")
        .doesNotContain(" 1.0.0");
  }

  private static List<String> lines() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    TreeMap<String, String> since = new TreeMap<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
      List<Path> all = sources.filter(path -> path.toString().endsWith(".java")).toList();
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, files, null, null, null, files.getJavaFileObjectsFromPaths(all));
      DocTrees docs = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        new Members(docs, since).scan(unit, "dev/ebb/spi/");
      }
    }
    since.values().removeIf("1.0.0"::equals);
    return since.entrySet().stream().map(each -> each.getKey() + " " + each.getValue()).toList();
  }

  /** Of several methods with one name, the oldest counts. */
  private static final class Members extends TreePathScanner<Void, String> {
    private final DocTrees docs;
    private final Map<String, String> since;

    Members(DocTrees docs, Map<String, String> since) {
      this.docs = docs;
      this.since = since;
    }

    @Override
    public Void visitClass(ClassTree type, String prefix) {
      String name = prefix + type.getSimpleName();
      note(name, "1.0.0");
      for (Tree member : type.getMembers()) {
        TreePath path = new TreePath(getCurrentPath(), member);
        switch (member) {
          case MethodTree method -> note(path, name + "." + method.getName());
          case VariableTree field -> note(path, name + "." + field.getName());
          case ClassTree inner -> new Members(docs, since).scan(path, name + "$");
          default -> {}
        }
      }
      return null;
    }

    private void note(String name, String otherwise) {
      since.put(name, version(getCurrentPath(), otherwise));
    }

    private void note(TreePath member, String name) {
      since.merge(name, version(member, "1.0.0"), (a, b) -> a.compareTo(b) < 0 ? a : b);
    }

    private String version(TreePath path, String otherwise) {
      String comment = docs.getDocComment(path);
      Matcher found = SINCE.matcher(comment == null ? "" : comment);
      return found.find() ? found.group(1) : otherwise;
    }
  }
}
