/*===- containers.c - what libstdc++ keeps of its containers in a library --===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* std::list and the trees under std::map and std::set are templates, but the
|* routines that link their nodes are not: their bodies are in libstdc++.so. They
|* touch pointers only, and yet a derivative depends on them: who walks the shadow
|* of a list must find the shadows of its nodes, in the order that the primal's
|* nodes were linked in. So each has a body here, which is differentiated as the
|* user's code is. The layouts are those of libstdc++'s ABI.
\*===------------------------------------------------------------------------===*/

/*===-- Doubly linked rings (std::list) ---------------------------------------===*/

typedef struct Node {
  struct Node *Next, *Prev;
} Node;

void rg_expand_list_hook(Node *N, Node *Before) {
  N->Next = Before;
  N->Prev = Before->Prev;
  Before->Prev->Next = N;
  Before->Prev = N;
}

void rg_expand_list_unhook(Node *N) {
  N->Prev->Next = N->Next;
  N->Next->Prev = N->Prev;
}

/* Moves [First, Last) in front of Before. */
void rg_expand_list_transfer(Node *Before, Node *First, Node *Last) {
  if (Before == Last)
    return;
  Node *Tail = Last->Prev, *Left = First->Prev, *Front = Before->Prev;
  Left->Next = Last;
  Last->Prev = Left;
  Front->Next = First;
  First->Prev = Front;
  Tail->Next = Before;
  Before->Prev = Tail;
}

void rg_expand_list_reverse(Node *Ring) {
  Node *N = Ring;
  do {
    Node *Next = N->Next;
    N->Next = N->Prev;
    N->Prev = Next;
    N = Next;
  } while (N != Ring);
}

static void adopt(Node *New, Node *Old) {
  if (Old->Next == Old) {
    New->Next = New->Prev = New;
    return;
  }
  New->Next = Old->Next;
  New->Prev = Old->Prev;
  New->Next->Prev = New;
  New->Prev->Next = New;
}

void rg_expand_list_swap(Node *A, Node *B) {
  Node Hold;
  adopt(&Hold, A);
  adopt(A, B);
  adopt(B, &Hold);
}

/*===-- Red-black trees (std::map, std::set) ----------------------------------===*/

enum { Red, Black };

typedef struct Tree {
  int Colour;
  struct Tree *Parent, *Left, *Right;
} Tree;

/* The header's Parent is the root, whose Parent is the header; the header's Left
   and Right are the first and the last node; the header is red, so that the step
   before the end can tell it from the root. */

Tree *rg_expand_tree_next(Tree *N) {
  if (N->Right) {
    N = N->Right;
    while (N->Left)
      N = N->Left;
    return N;
  }
  Tree *Up = N->Parent;
  while (N == Up->Right) {
    N = Up;
    Up = Up->Parent;
  }
  /* From the last node of a tree without a right branch the climb passes the
     header and arrives at the root again. */
  return N->Right != Up ? Up : N;
}

Tree *rg_expand_tree_previous(Tree *N) {
  if (N->Colour == Red && N->Parent && N->Parent->Parent == N)
    return N->Right;
  if (N->Left) {
    N = N->Left;
    while (N->Right)
      N = N->Right;
    return N;
  }
  Tree *Up = N->Parent;
  while (N == Up->Left) {
    N = Up;
    Up = Up->Parent;
  }
  return Up;
}

/* Puts New where Old hangs. */
static void replace(Tree *Old, Tree *New, Tree *Header) {
  Tree *Up = Old->Parent;
  if (Up == Header)
    Header->Parent = New;
  else if (Up->Left == Old)
    Up->Left = New;
  else
    Up->Right = New;
  if (New)
    New->Parent = Up;
}

static void rotateLeft(Tree *N, Tree *Header) {
  Tree *Top = N->Right;
  replace(N, Top, Header);
  N->Right = Top->Left;
  if (N->Right)
    N->Right->Parent = N;
  Top->Left = N;
  N->Parent = Top;
}

static void rotateRight(Tree *N, Tree *Header) {
  Tree *Top = N->Left;
  replace(N, Top, Header);
  N->Left = Top->Right;
  if (N->Left)
    N->Left->Parent = N;
  Top->Right = N;
  N->Parent = Top;
}

void rg_expand_tree_insert(_Bool ToLeft, Tree *N, Tree *Up, Tree *Header) {
  N->Parent = Up;
  N->Left = N->Right = 0;
  N->Colour = Red;
  if (Up == Header) {
    Header->Parent = Header->Left = Header->Right = N;
  } else if (ToLeft) {
    Up->Left = N;
    if (Up == Header->Left)
      Header->Left = N;
  } else {
    Up->Right = N;
    if (Up == Header->Right)
      Header->Right = N;
  }
  while (N != Header->Parent && N->Parent->Colour == Red) {
    Tree *P = N->Parent, *G = P->Parent;
    int Left = P == G->Left;
    Tree *Uncle = Left ? G->Right : G->Left;
    if (Uncle && Uncle->Colour == Red) {
      P->Colour = Uncle->Colour = Black;
      G->Colour = Red;
      N = G;
      continue;
    }
    if (Left) {
      if (N == P->Right) {
        rotateLeft(P, Header);
        P = N;
      }
      P->Colour = Black;
      G->Colour = Red;
      rotateRight(G, Header);
    } else {
      if (N == P->Left) {
        rotateRight(P, Header);
        P = N;
      }
      P->Colour = Black;
      G->Colour = Red;
      rotateLeft(G, Header);
    }
    break;
  }
  Header->Parent->Colour = Black;
}

static int isBlack(const Tree *N) { return !N || N->Colour == Black; }

/* Takes N out of the tree, and hands it back. */
Tree *rg_expand_tree_erase(Tree *N, Tree *Header) {
  if (Header->Left == N)
    Header->Left = N->Right || N->Parent != Header ? rg_expand_tree_next(N) : Header;
  if (Header->Right == N)
    Header->Right = N->Left || N->Parent != Header ? rg_expand_tree_previous(N) : Header;
  /* Hole hangs (perhaps empty) below Up, where a node of colour Gone was. */
  Tree *Hole, *Up;
  int Gone = N->Colour;
  if (!N->Left || !N->Right) {
    Hole = N->Left ? N->Left : N->Right;
    Up = N->Parent;
    replace(N, Hole, Header);
  } else {
    Tree *Heir = N->Right;
    while (Heir->Left)
      Heir = Heir->Left;
    Gone = Heir->Colour;
    Hole = Heir->Right;
    Up = Heir;
    if (Heir->Parent != N) {
      Up = Heir->Parent;
      Up->Left = Hole;
      if (Hole)
        Hole->Parent = Up;
      Heir->Right = N->Right;
      Heir->Right->Parent = Heir;
    }
    replace(N, Heir, Header);
    Heir->Left = N->Left;
    Heir->Left->Parent = Heir;
    Heir->Colour = N->Colour;
  }
  if (Gone == Red)
    return N;
  while (Up != Header && isBlack(Hole)) {
    int Left = Hole == Up->Left;
    Tree *Beside = Left ? Up->Right : Up->Left;
    if (Beside->Colour == Red) {
      Beside->Colour = Black;
      Up->Colour = Red;
      if (Left)
        rotateLeft(Up, Header);
      else
        rotateRight(Up, Header);
      Beside = Left ? Up->Right : Up->Left;
    }
    if (isBlack(Beside->Left) && isBlack(Beside->Right)) {
      Beside->Colour = Red;
      Hole = Up;
      Up = Up->Parent;
      continue;
    }
    if (Left) {
      if (isBlack(Beside->Right)) {
        Beside->Left->Colour = Black;
        Beside->Colour = Red;
        rotateRight(Beside, Header);
        Beside = Up->Right;
      }
      Beside->Colour = Up->Colour;
      Up->Colour = Black;
      Beside->Right->Colour = Black;
      rotateLeft(Up, Header);
    } else {
      if (isBlack(Beside->Left)) {
        Beside->Right->Colour = Black;
        Beside->Colour = Red;
        rotateLeft(Beside, Header);
        Beside = Up->Left;
      }
      Beside->Colour = Up->Colour;
      Up->Colour = Black;
      Beside->Left->Colour = Black;
      rotateRight(Up, Header);
    }
    return N;
  }
  if (Hole)
    Hole->Colour = Black;
  return N;
}

/*===-- dynamic_cast ----------------------------------------------------------===*/

/* The result is the operand, moved: so its shadow is the operand's, moved. Where the
   compiler says at which place the source lies in the target (Hint, of the Itanium
   ABI), that is the distance. */

enum { NoSuchBase = -0x7fffffff - 1 };

void *__dynamic_cast(const void *, const void *, const void *, long);

/* Not inlined: it has a record, and the call within it is not expanded again. */
__attribute__((pure, noinline)) long rg_cast_distance(const char *P, const void *From,
                                                     const void *To, long Hint) {
  const char *Found = __dynamic_cast(P, From, To, Hint);
  return Found ? Found - P : NoSuchBase;
}

char *rg_expand_dynamic_cast(char *P, const void *From, const void *To, long Hint) {
  long Distance = rg_cast_distance(P, From, To, Hint);
  if (Distance == NoSuchBase)
    return 0;
  return Hint >= 0 ? P - Hint : P + Distance;
}

/*===-- Strings ---------------------------------------------------------------===*/

/* What differentiated code does with a std::string it does with the primal's alone.
   The string in a shadow is the caller's, or empty, or zero bytes (which is an empty
   string, too: its members copy, move and destroy it). */
typedef struct String {
  char *Characters;
  unsigned long Length;
  char Own[16];
} String;

void _ZdlPv(void *);

/* Its life begins, in memory that may hold one that has ended. */
void rg_string_begin(String *Shadow, String *Own) {
  if (Shadow == Own)
    return;
  Shadow->Characters = Shadow->Own;
  Shadow->Length = 0;
  Shadow->Own[0] = Shadow->Own[1] = Shadow->Own[2] = Shadow->Own[3] = 0;
}

/* Its life ends, and that of its characters. */
void rg_string_end(String *Shadow, String *Own) {
  if (Shadow == Own)
    return;
  if (Shadow->Characters != Shadow->Own)
    _ZdlPv(Shadow->Characters);
  rg_string_begin(Shadow, Own);
}

/*===-- Memory resources (std::pmr) ---------------------------------------------===*/

/* What a resource gives is memory of operator new, which stays until the derivative has
 * ended. */
enum { NewAlignment = 2 * sizeof(void *) };
void *_Znwm(__SIZE_TYPE__), *_ZnwmSt11align_val_t(__SIZE_TYPE__, __SIZE_TYPE__);
void _ZdlPvSt11align_val_t(void *, __SIZE_TYPE__);

void *rg_expand_pmr_allocate(void *Resource, __SIZE_TYPE__ Bytes, __SIZE_TYPE__ Align) {
  (void)Resource;
  return Align > NewAlignment ? _ZnwmSt11align_val_t(Bytes, Align) : _Znwm(Bytes);
}
void rg_expand_pmr_deallocate(void *Resource, void *P, __SIZE_TYPE__ Bytes, __SIZE_TYPE__ Align) {
  (void)Resource, (void)Bytes;
  if (Align > NewAlignment)
    _ZdlPvSt11align_val_t(P, Align);
  else
    _ZdlPv(P);
}
