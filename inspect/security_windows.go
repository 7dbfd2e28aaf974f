package inspect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

const nativeACLs = true

// readSecurity is the access for asking about an object.
const readSecurity = windows.READ_CONTROL | fileReadAttributes

// Names that golang.org/x/sys/windows does not have.
const (
	fileReadAttributes   = 0x80
	fileAddSubdirectory  = 0x04
	fileTraverse         = 0x20
	volumeNameDOS        = 0x0
	volumeNameGUID       = 0x1
	volumeNameNT         = 0x2
	fileIsRemoteDevice   = 51
	tokenIsAppContainer  = 29
	tokenAppContainerSID = 31
	persistentACLs       = 0x8
	shareAll             = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
)

// securityHandle is an object that was opened to be asked about.
type securityHandle struct{ windows.Handle }

func openSecurity(path string, access, flags uint32) (securityHandle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return securityHandle{}, refusal(CodeInvalid, "the path has a NUL")
	}
	h, err := windows.CreateFile(name, access, shareAll, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|flags, 0)
	if err != nil {
		return securityHandle{}, winErr("CreateFileW", err, winCodes)
	}
	return securityHandle{h}, nil
}

func (h securityHandle) close() { _ = windows.CloseHandle(h.Handle) } // opened to be read only

// winErr keeps the number of a system error.
func winErr(op string, err error, codes map[uint32]Code) error {
	var errno windows.Errno
	var status windows.NTStatus
	switch {
	case errors.As(err, &status):
		errno = status.Errno()
	case errors.As(err, &errno):
	}
	return winError(op, uint32(errno), codes, err)
}

// readOwnerDACL asks about what path leads to.
func readOwnerDACL(path string) (OwnerDACL, error) {
	h, err := openSecurity(path, readSecurity, 0)
	if err != nil {
		return OwnerDACL{}, err
	}
	defer h.close()
	facts, err := h.facts()
	if err != nil {
		return OwnerDACL{}, err
	}
	facts.IsVolumeRoot = facts.IsLocal && h.isVolumeRoot(path)
	return facts, nil
}

// facts are the owner and the access list of the open object.
func (h securityHandle) facts() (OwnerDACL, error) {
	if !h.keepsACLs() {
		return OwnerDACL{}, refusal(CodeUnverified, "the file system has no access lists: who may use this path is not verified")
	}
	sd, err := windows.GetSecurityInfo(h.Handle, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return OwnerDACL{}, winErr("GetSecurityInfo", err, winCodes)
	}
	size := sd.Length()
	if size > maxDescriptor {
		return OwnerDACL{}, refusal(CodeTooLarge, "the security descriptor has more than 1 MiB")
	}
	d, err := ParseDescriptor(unsafe.Slice((*byte)(unsafe.Pointer(sd)), size))
	if err != nil {
		return OwnerDACL{}, refusal(CodeUnverified, err.Error())
	}
	token, err := processToken()
	if err != nil {
		return OwnerDACL{}, err
	}
	return OwnerDACL{
		Platform: platformName(), CurrentUserSID: token.user, IsLocal: h.isLocal(), Descriptor: &d, containerSID: token.container,
	}, nil
}

// keepsACLs is false for file systems such as FAT, which make a list up.
func (h securityHandle) keepsACLs() bool {
	var flags uint32
	err := windows.GetVolumeInformationByHandle(h.Handle, nil, 0, nil, nil, &flags, nil, 0)
	return err != nil || flags&persistentACLs != 0
}

// isLocal asks the file system, and failing that reads the object's names.
func (h securityHandle) isLocal() bool {
	var remote byte
	var status windows.IO_STATUS_BLOCK
	if err := windows.NtQueryInformationFile(h.Handle, &status, &remote, 1, fileIsRemoteDevice); err == nil && remote <= 1 {
		return remote == 0
	}
	if name, err := h.name(volumeNameGUID); err == nil && name != "" {
		return true
	}
	name, err := h.name(volumeNameDOS)
	return err == nil && !isRemoteName(name)
}

func (h securityHandle) name(form uint32) (string, error) {
	buf := make([]uint16, 512)
	for {
		n, err := windows.GetFinalPathNameByHandle(h.Handle, &buf[0], uint32(len(buf)), form)
		if err != nil {
			return "", err
		}
		if int(n) < len(buf) {
			return windows.UTF16ToString(buf[:n]), nil
		}
		buf = make([]uint16, n+1)
	}
}

// fileID is the serial of a volume and the number of a file on it.
type fileID struct {
	volume uint64
	file   [16]byte
}

func (id fileID) String() string { return fmt.Sprintf("%016x%x", id.volume, id.file) }

// identity is the serial of the volume and the number of the file. There is no
// narrower fallback: two objects must never look the same.
func (h securityHandle) identity() (fileID, error) {
	var info [24]byte
	if err := windows.GetFileInformationByHandleEx(h.Handle, windows.FileIdInfo, &info[0], uint32(len(info))); err != nil {
		return fileID{}, winErr("GetFileInformationByHandleEx", err, identityCodes)
	}
	return fileID{binary.LittleEndian.Uint64(info[:]), [16]byte(info[8:])}, nil
}

type attributeTag struct{ attributes, reparseTag uint32 }

func (h securityHandle) attributes() (attributeTag, error) {
	var info attributeTag
	err := windows.GetFileInformationByHandleEx(h.Handle, windows.FileAttributeTagInfo, (*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return info, winErr("GetFileInformationByHandleEx", err, identityCodes)
	}
	return info, nil
}

func (a attributeTag) isReparse() bool { return a.attributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0 }
func (a attributeTag) isDir() bool     { return a.attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0 }

// isVolumeRoot proves by a second handle that the name itself is the root, not a
// mounted folder that points at it.
func (h securityHandle) isVolumeRoot(path string) bool {
	name, err := h.name(volumeNameGUID)
	entry := rootEntry(path)
	if err != nil || entry == "" || !isVolumeGUIDRoot(name) {
		return false
	}
	own, err := openSecurity(entry, fileReadAttributes, windows.FILE_FLAG_OPEN_REPARSE_POINT)
	if err != nil {
		return false
	}
	defer own.close()
	tag, err := own.attributes()
	if err != nil || tag.isReparse() {
		return false
	}
	first, err1 := h.identity()
	second, err2 := own.identity()
	return err1 == nil && err2 == nil && first == second
}

// tokenFacts are what the process is. They do not change while it runs.
type tokenFacts struct{ user, container string }

// processToken is asked until it has answered once: a failure is not kept.
var tokenCache struct {
	sync.Mutex
	facts *tokenFacts
}

func processToken() (tokenFacts, error) {
	tokenCache.Lock()
	defer tokenCache.Unlock()
	if tokenCache.facts == nil {
		facts, err := queryToken()
		if err != nil {
			return tokenFacts{}, err
		}
		tokenCache.facts = &facts
	}
	return *tokenCache.facts, nil
}

func queryToken() (tokenFacts, error) {
	token := windows.GetCurrentProcessToken()
	user, err := token.GetTokenUser()
	if err != nil {
		return tokenFacts{}, winErr("GetTokenInformation", err, identityCodes)
	}
	f := tokenFacts{user: normalizeSID(user.User.Sid.String())}
	var inside, n uint32
	if err := windows.GetTokenInformation(token, tokenIsAppContainer, (*byte)(unsafe.Pointer(&inside)), 4, &n); err != nil {
		return tokenFacts{}, winErr("GetTokenInformation", err, identityCodes)
	}
	if inside == 0 {
		return f, nil
	}
	var buf [128]uint64 // aligned for the pointer in it
	if err := windows.GetTokenInformation(token, tokenAppContainerSID, (*byte)(unsafe.Pointer(&buf[0])), uint32(len(buf)*8), &n); err != nil {
		return tokenFacts{}, winErr("GetTokenInformation", err, identityCodes)
	}
	sid := *(**windows.SID)(unsafe.Pointer(&buf[0]))
	if sid == nil || !isContainerSID(sid.String()) {
		return tokenFacts{}, refusal(CodeUnverified, "the process runs in an AppContainer without a SID of its own")
	}
	f.container = normalizeSID(sid.String())
	return f, nil
}

// inAppContainer is true also when it cannot be told: a command that takes
// inherited grants away could lock the container out.
func inAppContainer() bool {
	facts, err := processToken()
	return err != nil || facts.container != ""
}
