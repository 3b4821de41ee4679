package dev.ebb.host.testing;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes of the host again, with a call at the start of each method, and counts the
 * calls of one thread at a time.
 */
public final class EntryCounter extends ClassLoader {

  private static final ClassDesc SELF = ClassDesc.of(EntryCounter.class.getName());
  private static final MethodTypeDesc ENTERED =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);
  private static final Map<String, Integer> ENTRIES = new ConcurrentHashMap<>();
  private static volatile String begin = "";
  private static volatile @Nullable Thread counted;

  /** Creates a loader. */
  public EntryCounter() {
    super(requireNonNull(EntryCounter.class.getClassLoader()));
  }

  /** Counts the thread that enters a class next. */
  public static void begin(String className) {
    ENTRIES.clear();
    counted = null;
    begin = className;
  }

  /** Returns how many methods of each class were entered, by class. */
  public static Map<String, Integer> end() {
    begin = "";
    counted = null;
    return new TreeMap<>(ENTRIES);
  }

  /** Called at the start of each method. */
  public static void entered(String className) {
    Thread thread = Thread.currentThread();
    if (className.equals(begin)) {
      begin = "";
      counted = thread;
    }
    if (thread == counted) {
      ENTRIES.merge(className, 1, Integer::sum);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("dev.ebb.host.") || name.startsWith("dev.ebb.host.testing.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? findClass(name) : loaded;
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (file == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] counting = counting(name, file.readAllBytes());
      return defineClass(name, counting, 0, counting.length);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static byte[] counting(String name, byte[] classFile) {
    ClassFile files = ClassFile.of();
    return files.transformClass(
        files.parse(classFile), ClassTransform.transformingMethodBodies(new Call(name)));
  }

  private record Call(String className) implements CodeTransform {

    @Override
    public void atStart(CodeBuilder builder) {
      builder.ldc(className).invokestatic(SELF, "entered", ENTERED);
    }

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
      builder.with(element);
    }
  }
}
