/*===- _native.c - calls of exported functions without ctypes ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry of a library that `retrograd export` made takes the addresses of its
// slots (tools/retrograd/ExportCommand.h). This module fills the slots from
// Python objects. Numbers are read directly, arrays through the buffer protocol,
// so nothing is copied and NumPy's headers are not needed to build it.
//
//   Call(...)(*args)   one function in one mode: value, gradient, both. Arguments
//                      that are not numbers or contiguous arrays of the exact
//                      type give NotImplemented: the caller then converts them,
//                      or says what is wrong with them, in Python.
//   run(...)           any entry, all slots given as arrays.
//
// The interpreter's lock is released while native code runs.
//
//===----------------------------------------------------------------------===*/

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <string.h>

#if PY_VERSION_HEX < 0x030A0000
static PyObject *Py_NewRef(PyObject *object) {
  Py_INCREF(object);
  return object;
}
#endif

typedef int (*Entry)(void *const *, const long long *, char *);

enum { MaxParameters = 24, MaxMessage = 256 };
enum { ModeValue, ModeGradient, ModeBoth };

/* One parameter, as Python describes it: (kind, size, by value, read only,
   active, extent, dtype). */
typedef struct {
  char kind; /* f, i, u: a floating-point number, a signed or unsigned integer;
                ?: a truth value */
  int size;
  int by_value, read_only, active;
  Py_ssize_t extent;
  PyObject *dtype;
} Parameter;

typedef union {
  double d;
  float f;
  signed char i1;
  short i2;
  int i4;
  long long i8;
  unsigned char u1;
  unsigned short u2;
  unsigned int u4;
  unsigned long long u8;
} Cell;

typedef struct {
  PyObject_HEAD vectorcallfunc vectorcall;
  Entry entry;
  int mode, count, has_result, result_size;
  PyObject *name, *error, *zeros, *array, *floating, *integer, *result_type;
  Parameter parameters[MaxParameters];
} Call;

/* Is a format of the buffer protocol this type? Only native order and one
   letter; everything else is converted in Python. */
static int has_format(const Py_buffer *view, const Parameter *p) {
  const char *f = view->format;
  if (view->itemsize != p->size || !f || !f[0] || f[1])
    return 0;
  switch (p->kind) {
  case 'f':
    return strchr("fdg", f[0]) != NULL;
  case 'i':
    return strchr("bhilq", f[0]) != NULL;
  case 'u':
    return strchr("BHILQ", f[0]) != NULL;
  default:
    return f[0] == p->kind;
  }
}

static void put_floating(Cell *to, int size, double x) {
  if (size == 4)
    to->f = (float)x;
  else
    to->d = x;
}

static PyObject *get_floating(const Cell *from, int size, PyObject *type) {
  PyObject *number = PyFloat_FromDouble(size == 4 ? from->f : from->d), *made;
  if (!number)
    return NULL;
  made = PyObject_CallOneArg(type, number);
  Py_DECREF(number);
  return made;
}

/* 1: the number is in the cell; 0: not one that is taken here; -1: an error. */
static int take_number(const Call *self, const Parameter *p, PyObject *given,
                       Cell *to) {
  if (p->kind == 'f') {
    double x;
    if (!PyFloat_Check(given) && !PyLong_Check(given)) {
      int is = PyObject_IsInstance(given, self->floating);
      if (is <= 0)
        return is;
    }
    x = PyFloat_AsDouble(given);
    if (x == -1 && PyErr_Occurred())
      return -1;
    put_floating(to, p->size, x);
    return 1;
  }
  if (!PyLong_Check(given)) {
    int is = PyObject_IsInstance(given, self->integer);
    if (is <= 0)
      return is;
  }
  {
    int overflow;
    long long x;
    PyObject *index = PyNumber_Index(given);
    if (!index)
      return -1;
    x = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (x == -1 && PyErr_Occurred())
      return -1;
    if (overflow || (p->kind != 'i' && x < 0))
      return 0;
    if (p->kind == '?') {
      to->u1 = (unsigned char)x;
      return x == 0 || x == 1;
    }
    /* The same bits for signed and unsigned, if the range is right. */
    if (p->size < 8) {
      int bits = 8 * p->size - (p->kind == 'i');
      if (x >= 1LL << bits || x < -(1LL << bits))
        return 0;
    }
    switch (p->size) {
    case 1:
      to->i1 = (signed char)x;
      return 1;
    case 2:
      to->i2 = (short)x;
      return 1;
    case 4:
      to->i4 = (int)x;
      return 1;
    case 8:
      to->i8 = x;
      return 1;
    default:
      return 0;
    }
  }
}

static int run_entry(Entry entry, void *const *slots, const long long *lengths,
                     PyObject *error, PyObject *name) {
  char message[MaxMessage] = "";
  int failed;
  Py_BEGIN_ALLOW_THREADS;
  failed = entry(slots, lengths, message);
  Py_END_ALLOW_THREADS;
  if (!failed)
    return 1;
  {
    PyObject *text = PyUnicode_DecodeUTF8(message, strlen(message), "replace");
    if (text)
      PyErr_Format(error, "%U: %U", name, text);
    Py_XDECREF(text);
  }
  return 0;
}

static PyObject *new_zeros(const Call *self, const Py_buffer *like,
                           PyObject *dtype) {
  PyObject *shape = PyTuple_New(like->ndim), *args[2], *made = NULL;
  int i;
  if (!shape)
    return NULL;
  for (i = 0; i < like->ndim; ++i) {
    PyObject *n = PyLong_FromSsize_t(like->shape[i]);
    if (!n)
      goto done;
    PyTuple_SET_ITEM(shape, i, n);
  }
  args[0] = shape;
  args[1] = dtype;
  made = PyObject_Vectorcall(self->zeros, args, 2, NULL);
done:
  Py_DECREF(shape);
  return made;
}

/* What one call holds, and gives back at its end. */
typedef struct {
  Py_buffer views[2 * MaxParameters];
  PyObject *owned[2 * MaxParameters];
  int view_count, owned_count;
} Held;

static Py_buffer *view_of(Held *held, PyObject *object, int flags) {
  Py_buffer *view = &held->views[held->view_count];
  if (PyObject_GetBuffer(object, view, flags))
    return NULL;
  ++held->view_count;
  return view;
}

static void release(Held *held) {
  while (held->view_count)
    PyBuffer_Release(&held->views[--held->view_count]);
  while (held->owned_count)
    Py_DECREF(held->owned[--held->owned_count]);
}

static PyObject *call(PyObject *callable, PyObject *const *args, size_t flags,
                      PyObject *keywords) {
  Call *self = (Call *)callable;
  int count = self->count, at = self->has_result, i, shadow, actives = 0;
  int derivative = self->mode != ModeValue;
  Cell cells[MaxParameters + 1] = {{0}}, shadows[MaxParameters + 1] = {{0}};
  void *slots[2 * MaxParameters + 2];
  long long lengths[MaxParameters + 1];
  Py_buffer *inputs[MaxParameters];
  PyObject *gradients[MaxParameters] = {NULL}, *answer = NULL;
  Held held;
  if (PyVectorcall_NARGS(flags) != count || keywords)
    Py_RETURN_NOTIMPLEMENTED;
  held.view_count = held.owned_count = 0;
  if (at) {
    slots[0] = &cells[MaxParameters];
    lengths[0] = 1;
  }
  for (i = 0; i < count; ++i) {
    const Parameter *p = &self->parameters[i];
    PyObject *given = args[i];
    Py_buffer *view;
    if (p->by_value) {
      int taken = take_number(self, p, given, &cells[i]);
      if (taken <= 0) {
        if (taken < 0)
          PyErr_Clear();
        goto other;
      }
      slots[at + i] = &cells[i];
      lengths[at + i] = 1;
      inputs[i] = NULL;
      continue;
    }
    if (!p->read_only && derivative) {
      /* The function writes to it, and a derivative leaves it as it is. */
      if ((PyObject *)Py_TYPE(given) != self->array)
        goto other;
      given = PyObject_CallMethod(given, "copy", NULL);
      if (!given)
        goto done;
      held.owned[held.owned_count++] = given;
    }
    view = view_of(&held, given,
                   p->read_only ? PyBUF_C_CONTIGUOUS | PyBUF_FORMAT
                                : PyBUF_C_CONTIGUOUS | PyBUF_FORMAT |
                                      PyBUF_WRITABLE);
    if (!view) {
      PyErr_Clear();
      goto other;
    }
    inputs[i] = view;
    slots[at + i] = view->buf;
    lengths[at + i] = view->len / p->size;
    if (!has_format(view, p) || (size_t)view->buf % p->size ||
        (p->extent && lengths[at + i] != p->extent))
      goto other;
  }
  if (derivative) {
    shadow = at + count;
    put_floating(&shadows[MaxParameters], self->result_size, 1);
    slots[shadow++] = &shadows[MaxParameters];
    for (i = 0; i < count; ++i) {
      const Parameter *p = &self->parameters[i];
      Py_buffer *view;
      if (!p->active)
        continue;
      if (p->by_value) {
        slots[shadow++] = &shadows[i];
        continue;
      }
      gradients[i] = new_zeros(self, inputs[i], p->dtype);
      if (!gradients[i])
        goto done;
      held.owned[held.owned_count++] = gradients[i];
      view = view_of(&held, gradients[i], PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE);
      if (!view)
        goto done;
      slots[shadow++] = view->buf;
    }
  }
  if (!run_entry(self->entry, slots, lengths, self->error, self->name))
    goto done;
  if (!derivative) {
    answer = at ? get_floating(&cells[MaxParameters], self->result_size,
                               self->result_type)
                : Py_NewRef(Py_None);
    goto done;
  }
  for (i = 0; i < count; ++i)
    actives += self->parameters[i].active;
  {
    PyObject *all = actives == 1 ? NULL : PyTuple_New(actives), *value;
    if (actives != 1 && !all)
      goto done;
    for (i = 0, shadow = 0; i < count; ++i) {
      const Parameter *p = &self->parameters[i];
      PyObject *one;
      if (!p->active)
        continue;
      one = p->by_value ? get_floating(&shadows[i], p->size,
                                       (PyObject *)self->parameters[i].dtype)
                        : Py_NewRef(gradients[i]);
      if (!one) {
        Py_XDECREF(all);
        goto done;
      }
      if (all)
        PyTuple_SET_ITEM(all, shadow++, one);
      else
        all = one;
    }
    if (self->mode == ModeGradient) {
      answer = all;
      goto done;
    }
    value = get_floating(&cells[MaxParameters], self->result_size,
                         self->result_type);
    if (value)
      answer = PyTuple_Pack(2, value, all);
    Py_XDECREF(value);
    Py_DECREF(all);
  }
done:
  release(&held);
  return answer;
other:
  release(&held);
  Py_RETURN_NOTIMPLEMENTED;
}

static void call_dealloc(Call *self) {
  int i;
  for (i = 0; i < self->count; ++i)
    Py_XDECREF(self->parameters[i].dtype);
  Py_XDECREF(self->name);
  Py_XDECREF(self->error);
  Py_XDECREF(self->zeros);
  Py_XDECREF(self->array);
  Py_XDECREF(self->floating);
  Py_XDECREF(self->integer);
  Py_XDECREF(self->result_type);
  Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Call(entry, mode, name, error, numpy's (zeros, ndarray, floating, integer),
        (size, type) of the result or None, parameters) */
static PyObject *call_new(PyTypeObject *type, PyObject *args,
                          PyObject *keywords) {
  unsigned long long entry;
  int mode;
  PyObject *name, *error, *zeros, *array, *floating, *integer, *result, *list;
  Call *self;
  Py_ssize_t i;
  (void)keywords;
  if (!PyArg_ParseTuple(args, "KiUO(OOOO)OO!", &entry, &mode, &name, &error,
                        &zeros, &array, &floating, &integer, &result,
                        &PyTuple_Type, &list))
    return NULL;
  if (PyTuple_GET_SIZE(list) > MaxParameters ||
      (mode != ModeValue && result == Py_None)) {
    PyErr_SetString(PyExc_ValueError, "this function is called from Python");
    return NULL;
  }
  self = (Call *)type->tp_alloc(type, 0);
  if (!self)
    return NULL;
  self->vectorcall = call;
  self->entry = (Entry)(size_t)entry;
  self->mode = mode;
  self->name = Py_NewRef(name);
  self->error = Py_NewRef(error);
  self->zeros = Py_NewRef(zeros);
  self->array = Py_NewRef(array);
  self->floating = Py_NewRef(floating);
  self->integer = Py_NewRef(integer);
  if (result != Py_None) {
    PyObject *result_type;
    if (!PyArg_ParseTuple(result, "iO", &self->result_size, &result_type))
      goto failed;
    self->has_result = 1;
    self->result_type = Py_NewRef(result_type);
  }
  for (i = 0; i < PyTuple_GET_SIZE(list); ++i) {
    Parameter *p = &self->parameters[i];
    int kind;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(list, i), "CipppnO", &kind, &p->size,
                          &p->by_value, &p->read_only, &p->active, &p->extent,
                          &p->dtype)) {
      p->dtype = NULL;
      goto failed;
    }
    p->kind = (char)kind;
    Py_INCREF(p->dtype);
    ++self->count;
  }
  return (PyObject *)self;
failed:
  Py_DECREF(self);
  return NULL;
}

static PyTypeObject CallType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "retrograd._native.Call",
    .tp_basicsize = sizeof(Call),
    .tp_dealloc = (destructor)call_dealloc,
    .tp_vectorcall_offset = offsetof(Call, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_doc = "A function of a library, in one mode.",
    .tp_new = call_new,
};

/* run(entry, slots, base, name, error): calls an entry. `slots` is a list of
   contiguous arrays, the first `base` of which have lengths. */
static PyObject *run(PyObject *module, PyObject *args) {
  unsigned long long entry;
  Py_ssize_t base, count, i, have = 0;
  PyObject *list, *name, *error, *answer = NULL;
  Py_buffer *views = NULL;
  void **slots = NULL;
  long long *lengths = NULL;
  (void)module;
  if (!PyArg_ParseTuple(args, "KO!nUO", &entry, &PyList_Type, &list, &base,
                        &name, &error))
    return NULL;
  count = PyList_GET_SIZE(list);
  if (base > count)
    return PyErr_Format(PyExc_ValueError, "%zd of %zd slots", base, count);
  views = PyMem_Calloc(count + 1, sizeof *views);
  slots = PyMem_Calloc(count + 1, sizeof *slots);
  lengths = PyMem_Calloc(base + 1, sizeof *lengths);
  if (!views || !slots || !lengths) {
    PyErr_NoMemory();
    goto done;
  }
  for (; have < count; ++have) {
    Py_buffer *view = &views[have];
    if (PyObject_GetBuffer(PyList_GET_ITEM(list, have), view, PyBUF_SIMPLE))
      goto done;
    slots[have] = view->buf;
    if (have < base)
      lengths[have] = view->len / view->itemsize;
  }
  if (run_entry((Entry)(size_t)entry, slots, lengths, error, name))
    answer = Py_NewRef(Py_None);
done:
  for (i = 0; i < have; ++i)
    PyBuffer_Release(&views[i]);
  PyMem_Free(views);
  PyMem_Free(slots);
  PyMem_Free(lengths);
  return answer;
}

static PyMethodDef methods[] = {
    {"run", run, METH_VARARGS, "run(entry, slots, base, name, error)"},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "retrograd._native",
    "Calls of exported functions without ctypes.", -1, methods,
    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) {
  PyObject *made;
  if (PyType_Ready(&CallType))
    return NULL;
  made = PyModule_Create(&module);
  if (made && PyModule_AddObject(made, "Call",
                                 Py_NewRef((PyObject *)&CallType))) {
    Py_DECREF(made);
    return NULL;
  }
  return made;
}
